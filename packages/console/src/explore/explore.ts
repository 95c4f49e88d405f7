import { PdppError } from "@pdpp/contract/errors";
import type { Input, ReadApi } from "@pdpp/contract/operations";
import type { OwnerSession } from "@pdpp/contract/sign-in";
import type { EvidenceCard, FieldPresentation, FieldWindow, SingleCard } from "@pdpp/contract/wire";
import { parseHandle, type RecordHandle } from "@pdpp/evidence/handle";
import type { Context } from "hono";
import { pageHeaders } from "../frame/frame.ts";
import type { Guard } from "../frame/guard.ts";
import type { Names } from "../frame/names.ts";
import type { ConsoleParts } from "../frame/session.ts";
import { browsePage, foundPage, type Question } from "./explore-page.ts";
import { fileResponse } from "./files.ts";
import { type EarlierField, earlierPage, recordPage, textPage } from "./record-page.ts";
import { ownStand, type Stand, wornPattern, wornStand } from "./stand.ts";
import { type Filter, filterFrom, streamPage, type TableQuestion, tableAddress, usualColumns } from "./stream-page.ts";

/** What is in the vault, as its owner reads it: by the same reader as everybody, over all of it. */

const hitsOnPage = 20;
const rowsOnPage = 50;
/** Texts on a record's page, and in a window of their own. */
const [beginningChars, windowChars, earlierChars] = [6000, 12_000, 400];
const mostTexts = 3;
/** A record as it was is read field by field. */
const mostEarlierFields = 60;

export function exploreRoutes(guard: Guard, parts: ConsoleParts): void {
  explorePages(guard, parts, "", (_, session) => ownStand(parts, session));
  // The same pages under a grant: what they read, they read as whoever holds it.
  explorePages(guard, parts, wornPattern, (c, session) => wornStand(parts, session, c.req.param("grant") ?? ""));
}

type StandOf = (c: Context, session: OwnerSession) => Promise<Stand>;

function explorePages({ owned }: Guard, { now }: ConsoleParts, base: string, standOf: StandOf): void {
  owned(`${base}/explore`, async (c, session, proof) => {
    const { reader, names, worn, told } = await standOf(c, session);
    const question = questionIn(c);
    if (question.q === "") {
      const { data } = await reader.streams({});
      const counts = new Map(data.map((row) => [`${row.connection_id}/${row.name}`, row.record_count]));
      return c.html(browsePage({ question, names, counts, worn, proof, now: now() }), 200, pageHeaders());
    }
    const cursor = textIn(c, "cursor");
    const narrowed = {
      ...(question.source === undefined ? {} : { connection_id: question.source }),
      ...(question.stream === undefined ? {} : { streams: [question.stream] }),
      ...(question.since === undefined ? {} : { since: question.since }),
      ...(question.until === undefined ? {} : { until: question.until }),
    };
    const found = await reader.search({
      q: question.q,
      limit: hitsOnPage,
      ...narrowed,
      ...(cursor === undefined ? {} : { cursor }),
    });
    const isFirst = cursor === undefined;
    const text = isFirst ? await told("search", { query: question.q, ...narrowed }) : undefined;
    const view = { question, names, found, isFirst, worn, told: text, proof, now: now() };
    return c.html(foundPage(view), 200, pageHeaders());
  });

  owned(`${base}/record`, async (c, session, proof) => {
    const place = placeIn(c);
    const stand = await standOf(c, session);
    const { names, worn } = stand;
    const version = numberIn(c, "version");
    const card = await cardOf(stand, place, version === undefined);
    if (version !== undefined && String(version) !== card.record_version) {
      const fields = await earlierFields(stand, place, version, Number(card.record_version));
      return c.html(earlierPage({ card, version, fields, names, worn, proof }), 200, pageHeaders());
    }
    const texts = await beginningsOf(stand.reader, place, card);
    const omitted = omittedOf(names, card);
    const told = await stand.told("fetch", { id: card.id });
    return c.html(recordPage({ card, texts, omitted, told, names, worn, proof }), 200, pageHeaders());
  });

  owned(`${base}/text`, async (c, session, proof) => {
    const place = placeIn(c);
    const stand = await standOf(c, session);
    const { names, worn } = stand;
    const [offset, end, version] = [numberIn(c, "offset"), numberIn(c, "end"), numberIn(c, "version")];
    const field = textIn(c, "field") ?? "";
    const card = await cardOf(stand, place, false);
    const at = {
      ...(end !== undefined ? { end_chars: end } : offset === undefined ? {} : { offset_chars: offset }),
      ...(version === undefined ? {} : { version: String(version) }),
    };
    const window = await stand.reader.readField({ ...inputOf(place), field, limit_chars: windowChars, ...at });
    const isEarlier = window.record_version !== card.record_version;
    const told = await stand.told("read_record_field", { id: card.id, field_path: field, ...at });
    const view = { id: card.id, title: card.title, window, isEarlier, told, names, worn, proof };
    return c.html(textPage(view), 200, pageHeaders(undefined, "reads on"));
  });

  owned(`${base}/file`, async (c, session) => {
    const { reader } = await standOf(c, session);
    const blobId = textIn(c, "blob") ?? "";
    const blob = await reader.readBlob({ blob_id: blobId, connection_id: textIn(c, "connection") ?? "" });
    return fileResponse(blob, c.req.query("show") === "1", blobId);
  });

  owned(`${base}/stream`, async (c, session, proof) => {
    const { reader, names, worn, told } = await standOf(c, session);
    const [source, stream] = [textIn(c, "source") ?? "", textIn(c, "stream") ?? ""];
    const declaration = names.declaration(source, stream);
    if (declaration === undefined) throw new PdppError("not_found", "there is no such list of records");
    const question = tableQuestionIn(c, source, stream, usualColumns(declaration));
    if (c.req.query("field") !== undefined) return c.redirect(tableAddress(question), 303);
    const cursor = textIn(c, "cursor");
    const { filters, order } = question;
    const asked = {
      stream,
      connection_id: source,
      ...(order === undefined ? {} : { order }),
      ...(filters.length === 0 ? {} : { filter: filterInput(filters) }),
    };
    const found = await reader.queryRecords({
      ...asked,
      view: "evidence",
      limit: rowsOnPage,
      ...(cursor === undefined ? {} : { cursor }),
    });
    const cards = found.data.filter((item): item is EvidenceCard => item.object === "evidence_card");
    const rows = filters.length > 0 ? [] : (await reader.streams({ connection_id: source })).data;
    const total = rows.find(({ name }) => name === stream)?.record_count;
    const isFirst = cursor === undefined;
    const text = isFirst ? await told("query_records", asked) : undefined;
    const view = {
      question,
      declaration,
      cards,
      next: found.next_cursor,
      isFirst,
      total,
      names,
      worn,
      told: text,
      proof,
    };
    return c.html(streamPage(view), 200, pageHeaders());
  });
}

const textIn = (c: Context, name: string): string | undefined => c.req.query(name)?.trim() || undefined;

function numberIn(c: Context, name: string): number | undefined {
  const text = textIn(c, name);
  return text !== undefined && /^\d{1,15}$/.test(text) ? Number(text) : undefined;
}

const questionIn = (c: Context): Question => ({
  q: textIn(c, "q") ?? "",
  source: textIn(c, "source"),
  stream: textIn(c, "stream"),
  since: textIn(c, "since"),
  until: textIn(c, "until"),
});

function placeIn(c: Context): RecordHandle {
  const place = parseHandle(c.req.query("id") ?? "");
  if (place === null) throw new PdppError("not_found", "this address names no record");
  return place;
}

const inputOf = ({ connectionId, stream, recordId }: RecordHandle) => ({
  connection_id: connectionId,
  stream,
  record_id: recordId,
});

async function cardOf({ reader }: Stand, place: RecordHandle, withRelated: boolean): Promise<SingleCard> {
  const { connectionId: connection_id, stream } = place;
  const related = withRelated ? (await reader.stream({ stream, connection_id })).expand_capabilities : [];
  const expand = related.map(({ name }) => name);
  const item = await reader.fetch({
    ...inputOf(place),
    view: "evidence",
    ...(expand.length === 0 ? {} : { expand: expand.slice(0, 8) }),
  });
  if (item.object !== "evidence_card") throw new Error("a card was asked for");
  return item;
}

const presentedIn = (card: EvidenceCard): FieldPresentation[] => [
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

/** Declared fields that the card leaves out. */
function omittedOf(names: Names, card: EvidenceCard): string[] {
  if (card.omitted === undefined) return [];
  const shown = new Set(presentedIn(card).map(({ field_path }) => field_path));
  const declared = names.declaration(card.connection_id, card.stream)?.fields ?? [];
  return declared.map(({ name }) => name).filter((name) => !shown.has(name));
}

async function earlierFields(
  stand: Stand,
  place: RecordHandle,
  version: number,
  current: number,
): Promise<EarlierField[]> {
  const declared = stand.names.declaration(place.connectionId, place.stream)?.fields ?? [];
  const at = (field: string, of: number) =>
    windowAt(stand.reader, {
      ...inputOf(place),
      field,
      limit_chars: earlierChars,
      ...(of === current ? {} : { version: String(of) }),
    });
  const fields: EarlierField[] = [];
  for (const { name: field } of declared.slice(0, mostEarlierFields)) {
    const [window, next] = [await at(field, version), await at(field, version + 1)];
    const isChanged =
      window?.window.text !== next?.window.text || window?.window.total_chars !== next?.window.total_chars;
    if (window !== undefined || isChanged) fields.push({ field, window, isChanged });
  }
  return fields;
}

/** A field of a version that had none is no fault. */
async function windowAt(reader: ReadApi, input: Input<"readField">): Promise<FieldWindow | undefined> {
  try {
    return await reader.readField(input);
  } catch (error) {
    if (error instanceof PdppError && (error.code === "field_not_found" || error.code === "field_not_text"))
      return undefined;
    throw error;
  }
}

function tableQuestionIn(c: Context, source: string, stream: string, usual: readonly string[]): TableQuestion {
  const chosen = c.req.queries("column") ?? [];
  const order = c.req.query("order");
  const [field, value] = [c.req.query("field"), c.req.query("value")];
  const added =
    field === undefined || value === undefined ? undefined : filterFrom(`${field}:${c.req.query("operator")}:${value}`);
  const filters = (c.req.queries("filter") ?? []).flatMap((text) => filterFrom(text) ?? []);
  return {
    source,
    stream,
    order: order === "asc" || order === "desc" ? order : undefined,
    columns: chosen.length === 0 ? usual : chosen.slice(0, 30),
    filters: [...filters, ...(added === undefined ? [] : [added])].slice(0, 20),
  };
}

function filterInput(filters: readonly Filter[]): NonNullable<Input<"queryRecords">["filter"]> {
  const input: NonNullable<Input<"queryRecords">["filter"]> = {};
  for (const { field, operator, value } of filters) {
    const held = input[field];
    input[field] = operator === "is" ? value : { ...(typeof held === "object" ? held : {}), [operator]: value };
  }
  return input;
}
