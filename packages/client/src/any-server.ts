import { type ApiClient, createClient } from "@pdpp/contract/client";
import { findField } from "@pdpp/contract/declaration";
import { PdppError } from "@pdpp/contract/errors";
import { callRead, type Input, mapReads } from "@pdpp/contract/operations";
import * as pub from "@pdpp/contract/public-wire";
import type { RecordList, SearchList } from "@pdpp/contract/wire";
import type { ListItem } from "@pdpp/evidence/cards/shared-facts";
import { fitDocument } from "@pdpp/evidence/documents/fit-document";
import { type FieldPath, parseFieldTarget } from "@pdpp/evidence/fields/field-path";
import { budget } from "@pdpp/evidence/sizes/budget";
import type { Measure } from "@pdpp/evidence/sizes/measure";
import { createPageLimit } from "@pdpp/evidence/sizes/page-limit";
import type { Size } from "@pdpp/evidence/sizes/size";
import { cutWindowFrom, cutWindowTo } from "@pdpp/evidence/windows/window";
import { computeWindowLimits } from "@pdpp/evidence/windows/window-limits";
import * as convert from "./public-answers.ts";
import { exportRecords } from "./public-export.ts";
import { findKnownStream, findOnlyConnection, type KnownStream, listKnownStreams } from "./public-schema.ts";
import { cutValueWindow } from "./value-window.ts";

/**
 * A reader for any server of the public protocol. Our own server announces its additions in its metadata
 * (`capabilities.evidence`: cards, documents, passages with offsets, versioned windows, export), and its answers are used as
 * they are. Other servers get public parameters only, and their answers are converted to the same shapes.
 */

export type Reader = Omit<ApiClient, "answer" | "metadata">;

export interface ServerAddress {
  readonly url: string;
  readonly token: string;
  readonly fetch?: typeof globalThis.fetch;
  /** Measures answers against `max_chars`, which other servers do not know. */
  readonly measure: Measure;
}

/** Creates readers, one per request id. They share what they learn about the server. */
export function createReaders(server: ServerAddress): (requestId?: string) => Reader {
  const hasEvidence = once(async (client: ApiClient) => {
    const metadata = pub.publicMetadata.safeParse(await client.metadata());
    return metadata.data?.capabilities?.evidence?.supported === true;
  });
  const loadStreams = once(async (client: ApiClient) =>
    listKnownStreams(await client.answer("schema", pub.publicFullSchema, {})),
  );
  return (requestId) => {
    const client = createClient({ ...server, ...(requestId === undefined ? {} : { requestId }) });
    const plain = createPublicReader(client, server.measure, () => loadStreams(client));
    const reader = async (): Promise<Reader> => ((await hasEvidence(client)) ? client : plain);
    const reads = mapReads(async (name, input) => callRead(await reader(), name, input), {
      readBlob: (input, range) => client.readBlob(input, range),
      export: (input) => flattenLater(async () => (await reader()).export(input)),
    });
    return {
      ...reads,
      exportLines: (input) => flattenLater(async () => (await reader()).exportLines(input)),
    };
  };
}

/** Caches the result, but not a failure. */
function once<T>(learn: (client: ApiClient) => Promise<T>): (client: ApiClient) => Promise<T> {
  let known: Promise<T> | undefined;
  return (client) => {
    known ??= learn(client).catch((error: unknown) => {
      known = undefined;
      throw error;
    });
    return known;
  };
}

async function* flattenLater<T>(items: () => Promise<AsyncIterable<T>>): AsyncGenerator<T> {
  yield* await items();
}

function createPublicReader(client: ApiClient, measure: Measure, loadStreams: () => Promise<KnownStream[]>): Reader {
  const exported = (input: Input<"export">) => exportRecords(client, loadStreams, input);
  return {
    schema: (input) => {
      const { detail, view, ...narrowed } = input;
      if (view === "compact" || detail === "compact")
        return client.answer("schema", pub.publicCompactSchema, { ...narrowed, view: "compact" });
      return client.answer("schema", pub.publicFullSchema, {
        ...narrowed,
        ...(detail === undefined ? {} : { detail }),
      });
    },
    connectors: (input) => client.connectors(input),
    streams: async (input) => {
      const [list, known] = await Promise.all([client.answer("streams", pub.publicStreamList, input), loadStreams()]);
      const data = list.data.map((row) => ({
        ...row,
        connector_key: findKnownStream(known, row.name, row.connection_id).connectorKey,
        connector_instance_id: row.connection_id,
      }));
      return { ...list, data };
    },
    stream: (input) => client.answer("stream", pub.publicSingleStream, input),
    queryRecords: async ({ view, fields_view, max_chars: most, ...input }) => {
      const cards = view === "evidence";
      const declared = cards ? fields_view : view;
      const asked = { ...input, ...(declared === undefined ? {} : { view: declared }) };
      const known = await loadStreams();
      const page = async (limit: number | undefined): Promise<RecordList> => {
        const list = await client.answer("queryRecords", pub.publicRecordList, { ...asked, limit });
        const data = list.data.map((item) => {
          if (convert.isTombstone(item)) return convert.toTombstone(known, item);
          return cards ? convert.toCard(known, item) : convert.toRecord(known, item);
        });
        return { ...list, data };
      };
      return fitPage(page, getItems, input.limit, most, (item: ListItem) =>
        measure({ kind: "record", item, shared: {} }),
      );
    },
    fetch: async ({ view, limit_chars, max_chars, after_field, versions: _, ...input }) => {
      if (view !== undefined && view !== "evidence" && view !== "document")
        throw createUnsupportedError(`view=${view}`, "view");
      const [record, known] = await Promise.all([client.answer("fetch", pub.publicRecord, input), loadStreams()]);
      const { links, meta } = record;
      if (view === undefined && limit_chars === undefined && after_field === undefined)
        return { ...convert.toRecord(known, record), links, meta };
      if (view === "evidence") return { ...convert.toCard(known, record), links, meta };
      const shown = convert.toEvidenceRecord(findKnownStream(known, record.stream, record.connection_id), record);
      const { fields } = input;
      const { expanded } = convert.toCard(known, record);
      const leads = expanded === undefined ? {} : { expanded };
      return { ...fitDocument(shown, { limit_chars, max_chars, after_field, fields }, measure, leads), links, meta };
    },
    aggregate: async ({ max_chars: most, ...input }) => {
      const page = (limit: number | undefined) =>
        client.answer("aggregate", pub.publicAggregation, { ...input, limit });
      return fitPage(
        page,
        ({ groups = [] }) => groups,
        input.limit,
        most,
        (group) => measure({ kind: "group", group }),
      );
    },
    search: async ({
      view: _,
      spread: _spread,
      collapse: _collapse,
      time: _time,
      since,
      until,
      max_chars: most,
      ...input
    }) => {
      const stray = since === undefined ? (until === undefined ? undefined : "until") : "since";
      if (stray !== undefined) throw createUnsupportedError(stray, stray);
      const known = await loadStreams();
      const page = async (limit: number | undefined): Promise<SearchList> => {
        const list = await client.answer("search", pub.publicSearchList, { ...input, limit });
        return convert.toSearchList(known, list, input.cursor === undefined);
      };
      return fitPage(page, getItems, input.limit, most, (hit) => measure({ kind: "hit", hit }));
    },
    readField: async ({ version, cursor, end_chars: end, max_chars: most, ...input }) => {
      if (version) throw createUnsupportedError("version", "version");
      if (cursor !== undefined && !/^\d+$/.test(cursor))
        throw new PdppError("invalid_cursor", "that is not a cursor of this server; start over without it", {
          param: "cursor",
        });
      const asked = {
        ...input,
        ...(cursor === undefined ? {} : { offset_chars: Number(cursor) }),
        ...(end === undefined ? {} : getWindowBefore(end, input.limit_chars)),
        ...getDefaultContext(input),
      };
      const known = await loadStreams();
      const connectionId = input.connection_id ?? findOnlyConnection(known, input.stream);
      const source = findKnownStream(known, input.stream, connectionId);
      const window = await fetchWindow(client, source, asked);
      const fitting =
        most === undefined ? window : fitWindow(measure, source, connectionId, window, most, end !== undefined);
      return convert.toFieldWindow(source, connectionId, fitting);
    },
    readBlob: (input, range) => client.readBlob(input, range),
    export: exported,
    exportLines: async function* (input) {
      for await (const record of exported(input)) yield JSON.stringify(record);
    },
  };
}

/** The server cuts windows of top-level texts only; for any other value it returns the record, and the window is cut here. */
async function fetchWindow(client: ApiClient, { stream }: KnownStream, input: Input<"readField">) {
  const target = parseFieldTarget(input.field, (name) => findField(stream, name) !== undefined);
  if (target?.of === "blob") throw createUnsupportedError("the text of a blob", "field");
  const whole = async (path: FieldPath) => {
    const { stream: name, record_id, connection_id } = input;
    const place = { stream: name, record_id, ...(connection_id === undefined ? {} : { connection_id }) };
    const { data } = await client.answer("fetch", pub.publicRecord, { ...place, fields: [path[0]] });
    return cutValueWindow(data, path, input);
  };
  if (target !== null && target.path.length > 1) return whole(target.path);
  return client.answer("readField", pub.publicFieldWindow, input).catch((error: unknown) => {
    if (target === null || !(error instanceof PdppError) || error.code !== "field_not_text") throw error;
    return whole(target.path);
  });
}

/** The public protocol reads forward only; to read back, compute where the previous window starts. */
function getWindowBefore(end: number, limit: number = budget.window.chars) {
  const start = Math.max(0, end - limit);
  return { offset_chars: start, limit_chars: Math.max(1, end - start) };
}

/** The server does not know the limits of a result, so its window is cut here: at its end or, reading back, at its start. */
function fitWindow(
  measure: Measure,
  { connectorKey, labels }: KnownStream,
  connectionId: string,
  answer: pub.PublicFieldWindow,
  most: number,
  isBack: boolean,
): pub.PublicFieldWindow {
  const { window, stream, record_id, field } = answer;
  const of = { connection_id: connectionId, stream, record_id, connector_key: connectorKey, field };
  const room = computeWindowLimits(measure, { ...of, display_name: labels.get(connectionId) }, most);
  const { start_chars: first, end_chars: last, limit_chars: limit, total_chars: total } = window;
  const kept = isBack
    ? cutWindowTo(window.text, last, limit, room)
    : cutWindowFrom(window.text, first, limit, room, Math.max(0, (window.match_end_chars ?? first) - first));
  const { text, start, end } = kept;
  return {
    ...answer,
    window: {
      ...window,
      text,
      start_chars: start,
      end_chars: end,
      complete: start === 0 && end === total,
      has_more: end < total,
      next_offset_chars: end < total ? end : null,
      previous_offset_chars: start === 0 ? null : Math.max(0, start - limit),
    },
  };
}

/** The server limits a page by the number of items only; a page that is too large is requested again with fewer. */
async function fitPage<T, P extends { readonly next_cursor?: string | undefined }>(
  read: (limit: number | undefined) => Promise<P>,
  items: (page: P) => readonly T[],
  limit: number | undefined,
  most: number | undefined,
  measureItem: (item: T) => Size,
): Promise<P> {
  const page = await read(limit);
  const fits = createPageLimit(most);
  const cursor = page.next_cursor ?? "";
  const full = items(page).findIndex(
    (item) =>
      !fits(
        () => measureItem(item),
        () => cursor,
      ),
  );
  return full < 0 ? page : read(Math.max(1, full));
}

const getItems = <T>({ data }: { readonly data: readonly T[] }): readonly T[] => data;

const createUnsupportedError = (what: string, param: string): PdppError =>
  new PdppError("invalid_request", `this server does not offer ${what}; leave it out`, { param });

/** Our server shows context around a match by default; the public protocol shows none. */
function getDefaultContext({ q, before_chars, after_chars, limit_chars }: Input<"readField">) {
  if (q === undefined || before_chars !== undefined || after_chars !== undefined || limit_chars !== undefined)
    return {};
  return { before_chars: budget.window.beforeChars, after_chars: budget.window.afterChars };
}
