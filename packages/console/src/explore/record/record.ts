import { PdppError } from "@pdpp/contract/errors";
import type { ReadApi } from "@pdpp/contract/operations";
import type { EvidenceCard, FieldPresentation, FieldWindow, SingleCard } from "@pdpp/contract/wire";
import type { RecordHandle } from "@pdpp/evidence/handles/handle";
import type { Context } from "hono";
import { buildPageHeaders, type ImpersonatedGrant } from "../../frame/frame.tsx";
import type { Viewer } from "../../frame/viewer.ts";
import { readHandle, readName, readNumber, toReadInput } from "../request.ts";
import type { Viewpoint } from "../viewpoint.tsx";
import { renderCitedPassage } from "./cited-passage.tsx";
import { loadAllFields } from "./record-card.ts";
import { renderRecordPage } from "./record-page.tsx";
import { renderTextPage } from "./text-page.tsx";
import { loadVersionFields } from "./version-fields.ts";
import { renderVersionPage } from "./version-page.tsx";

/** A record, and a long text of it. */

/** Characters shown on a record's page, and in a window. */
const [beginningChars, windowChars] = [6000, 12_000];
const maxTexts = 3;
const maxMarks = 20;
const [versionsOnPage, versionsKnown] = [12, 50];

export async function respondWithRecord(c: Context, viewpoint: Viewpoint, viewer: Viewer): Promise<Response> {
  const place = readHandle(c);
  const { names, impersonatedGrant } = viewpoint;
  const version = readNumber(c, "version");
  const card = await loadCard(viewpoint, place, version === undefined ? "page" : "version");
  const versions = card.meta.versions ?? [];
  if (version !== undefined && String(version) !== card.record_version) {
    const fields = await loadVersionFields(viewpoint, place, version, card);
    return c.html(
      renderVersionPage({ card, version, versions, fields, names, impersonatedGrant, viewer }),
      200,
      buildPageHeaders(),
    );
  }
  const whole = await loadAllFields(viewpoint.reader, place, card, names);
  const texts = await loadTexts(viewpoint.reader, place, whole.card);
  const toolOutput = await viewpoint.runTool("fetch", { id: card.id });
  const readers = await viewpoint.renderReaders(place, readNumber(c, "before"));
  const cited = await renderCitedPassage(c, viewpoint.reader, place, names);
  const view = { ...whole, cited, versions, texts, toolOutput, readers, names, impersonatedGrant, viewer };
  return c.html(renderRecordPage(view), 200, buildPageHeaders());
}

export async function respondWithText(c: Context, viewpoint: Viewpoint, viewer: Viewer): Promise<Response> {
  const place = readHandle(c);
  const { names, impersonatedGrant } = viewpoint;
  const [offset, end, version] = [readNumber(c, "offset"), readNumber(c, "end"), readNumber(c, "version")];
  const field = readName(c, "field");
  const card = await loadCard(viewpoint, place, "text");
  const at = {
    ...(end !== undefined ? { end_chars: end } : offset === undefined ? {} : { offset_chars: offset }),
    ...(version === undefined ? {} : { version: String(version) }),
  };
  const window = await viewpoint.reader.readField({ ...toReadInput(place), field, limit_chars: windowChars, ...at });
  const isEarlier = window.record_version !== card.record_version;
  const toolOutput = await viewpoint.runTool("read_record_field", { id: card.id, field_path: field, ...at });
  const marks = (c.req.queries("mark") ?? []).slice(0, maxMarks);
  const view = {
    id: card.id,
    title: card.title,
    window,
    marks,
    isEarlier,
    toolOutput,
    names,
    impersonatedGrant,
    viewer,
  };
  return c.html(renderTextPage(view), 200, buildPageHeaders(undefined, "reads on"));
}

const maxRelations = 8;

async function loadCard(
  { reader, impersonatedGrant }: Viewpoint,
  place: RecordHandle,
  use: "page" | "version" | "text",
): Promise<SingleCard> {
  const { connectionId: connection_id, stream } = place;
  const related = use === "page" ? (await reader.stream({ stream, connection_id })).expand_capabilities : [];
  const expand = related.filter(({ usable }) => usable).map(({ name }) => name);
  const item = await reader
    .fetch({
      ...toReadInput(place),
      view: "evidence",
      ...(use === "text" ? {} : { versions: use === "page" ? versionsOnPage : versionsKnown }),
      ...(expand.length === 0 ? {} : { expand: expand.slice(0, maxRelations) }),
    })
    .catch((error: unknown) => {
      if (error instanceof PdppError && error.code === "not_found") throw createMissingRecordError(impersonatedGrant);
      throw error;
    });
  if (item.object !== "evidence_card") throw new Error("expected an evidence card");
  return item;
}

const createMissingRecordError = (impersonatedGrant: ImpersonatedGrant | undefined): PdppError =>
  new PdppError(
    "not_found",
    `this record doesn't exist${impersonatedGrant === undefined ? " or was deleted" : ", was deleted, or isn't covered by this access"}`,
  );

export const listFields = (card: EvidenceCard): FieldPresentation[] => [
  ...Object.values(card.slots).flatMap((slot) => slot ?? []),
  ...card.fields,
];

/** Loads the texts worth reading: bodies, and texts too long for a line. */
async function loadTexts(reader: ReadApi, place: RecordHandle, card: EvidenceCard): Promise<Map<string, FieldWindow>> {
  const texts = listFields(card).filter(
    (field) =>
      (field.role === "body" && (field.shown === "preview" || (field.shown === "inline" && isText(field.value)))) ||
      (field.shown === "preview" && field.format === "text"),
  );
  const windows = new Map<string, FieldWindow>();
  for (const { field_path: field } of texts.slice(0, maxTexts))
    windows.set(field, await reader.readField({ ...toReadInput(place), field, limit_chars: beginningChars }));
  return windows;
}

const isText = (value: unknown): boolean => typeof value === "string" && value !== "";
