import { PdppError } from "@pdpp/contract/errors";
import type { ReadApi } from "@pdpp/contract/operations";
import type { EvidenceCard, FieldPresentation, FieldWindow, SingleCard } from "@pdpp/contract/wire";
import type { RecordHandle } from "@pdpp/evidence/handles/handle";
import type { Context } from "hono";
import { pageHeaders, type Worn } from "../frame/frame.ts";
import type { Proof } from "../frame/proof.ts";
import { citedView } from "./cited.ts";
import { earlierFields } from "./earlier.ts";
import { earlierPage } from "./earlier-page.ts";
import { withAllFields } from "./record-card.ts";
import { recordPage } from "./record-page.ts";
import { inputOf, nameIn, numberIn, placeIn } from "./request.ts";
import type { Stand } from "./stand.ts";
import { textPage } from "./text-page.ts";

/** A record, and a long text of it. */

/** Texts on a record's page, and in a window of their own. */
const [beginningChars, windowChars] = [6000, 12_000];
const mostTexts = 3;
const [versionsOnPage, versionsKnown] = [12, 50];

export async function recordView(c: Context, stand: Stand, proof: Proof): Promise<Response> {
  const place = placeIn(c);
  const { names, worn } = stand;
  const version = numberIn(c, "version");
  const card = await cardOf(stand, place, version === undefined ? "page" : "version");
  const versions = card.meta.versions ?? [];
  if (version !== undefined && String(version) !== card.record_version) {
    const fields = await earlierFields(stand, place, version, card);
    return c.html(earlierPage({ card, version, versions, fields, names, worn, proof }), 200, pageHeaders());
  }
  const whole = await withAllFields(stand.reader, place, card, names);
  const texts = await beginningsOf(stand.reader, place, whole.card);
  const told = await stand.told("fetch", { id: card.id });
  const readers = await stand.readersOf(place, numberIn(c, "before"));
  const cited = await citedView(c, stand.reader, place, names);
  const view = { ...whole, cited, versions, texts, told, readers, names, worn, proof };
  return c.html(recordPage(view), 200, pageHeaders());
}

export async function textView(c: Context, stand: Stand, proof: Proof): Promise<Response> {
  const place = placeIn(c);
  const { names, worn } = stand;
  const [offset, end, version] = [numberIn(c, "offset"), numberIn(c, "end"), numberIn(c, "version")];
  const field = nameIn(c, "field");
  const card = await cardOf(stand, place, "text");
  const at = {
    ...(end !== undefined ? { end_chars: end } : offset === undefined ? {} : { offset_chars: offset }),
    ...(version === undefined ? {} : { version: String(version) }),
  };
  const window = await stand.reader.readField({ ...inputOf(place), field, limit_chars: windowChars, ...at });
  const isEarlier = window.record_version !== card.record_version;
  const told = await stand.told("read_record_field", { id: card.id, field_path: field, ...at });
  const view = { id: card.id, title: card.title, window, isEarlier, told, names, worn, proof };
  return c.html(textPage(view), 200, pageHeaders(undefined, "reads on"));
}

const mostRelations = 8;

async function cardOf(
  { reader, worn }: Stand,
  place: RecordHandle,
  use: "page" | "version" | "text",
): Promise<SingleCard> {
  const { connectionId: connection_id, stream } = place;
  const related = use === "page" ? (await reader.stream({ stream, connection_id })).expand_capabilities : [];
  const expand = related.filter(({ usable }) => usable).map(({ name }) => name);
  const item = await reader
    .fetch({
      ...inputOf(place),
      view: "evidence",
      ...(use === "text" ? {} : { versions: use === "page" ? versionsOnPage : versionsKnown }),
      ...(expand.length === 0 ? {} : { expand: expand.slice(0, mostRelations) }),
    })
    .catch((error: unknown) => {
      if (error instanceof PdppError && error.code === "not_found") throw missingRecord(worn);
      throw error;
    });
  if (item.object !== "evidence_card") throw new Error("a card was asked for");
  return item;
}

const missingRecord = (worn: Worn | undefined): PdppError =>
  new PdppError(
    "not_found",
    `this record doesn't exist${worn === undefined ? " or was deleted" : ", was deleted, or isn't covered by this access"}`,
  );

export const presentedIn = (card: EvidenceCard): FieldPresentation[] => [
  ...Object.values(card.slots).flatMap((slot) => slot ?? []),
  ...card.fields,
];

/** What a person came to read: its bodies, and texts that are too long for a line. */
async function beginningsOf(
  reader: ReadApi,
  place: RecordHandle,
  card: EvidenceCard,
): Promise<Map<string, FieldWindow>> {
  const texts = presentedIn(card).filter(
    (field) =>
      (field.role === "body" && (field.shown === "preview" || (field.shown === "inline" && isText(field.value)))) ||
      (field.shown === "preview" && field.format === "text"),
  );
  const windows = new Map<string, FieldWindow>();
  for (const { field_path: field } of texts.slice(0, mostTexts))
    windows.set(field, await reader.readField({ ...inputOf(place), field, limit_chars: beginningChars }));
  return windows;
}

const isText = (value: unknown): boolean => typeof value === "string" && value !== "";
