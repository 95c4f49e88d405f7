import { parseUrl } from "@pdpp/contract/address";
import { parseHandle } from "@pdpp/evidence/handles/handle";
import {
  buildHitRead,
  type Connected,
  findOfferedCalls,
  parseOfferedCalls,
  type Result,
  type Call as ToolCall,
} from "@pdpp/test-support/mcp/clients";
import {
  type Answer,
  type Call,
  type Card,
  type Detail,
  type Field,
  type Hit,
  type Loose,
  type NeutralAnswer,
  normalize,
  normalizeAmounts,
  normalizeCard,
  normalizeGroup,
  normalizeNested,
  normalizeOrigin,
  normalizeProvenance,
  normalizeWarnings,
  type Offer,
  type Related,
  type Surface,
  sortByPath,
  type Tombstone,
} from "./neutral.ts";

/** Adapter for MCP, where a continuation is a tool with its arguments. */

const tools = {
  schema: "schema",
  search: "search",
  queryRecords: "query_records",
  aggregate: "aggregate",
  fetch: "fetch",
  readField: "read_record_field",
} as const;
type Operation = keyof typeof tools;
const operationOf = Object.fromEntries(
  Object.entries(tools).map(([operation, tool]) => [tool, operation as Operation]),
);

/** Neutral numbers are text; tools expect numbers. */
const numbered = (limits: Loose): object =>
  limits === undefined
    ? {}
    : { expand_limit: Object.fromEntries(Object.entries(limits).map(([name, n]) => [name, Number(n)])) };

const numbers = new Set(["limit", "offset_chars", "end_chars", "limit_chars", "before_chars", "after_chars"]);

/** Writes a neutral call with the tool's argument names. */
function toToolCall({ operation, input }: Call): ToolCall {
  const {
    stream,
    record_id: recordId,
    connection_id: connection,
    q,
    field,
    expand_limit: limits,
    ...rest
  } = input as Loose;
  const args: Loose = {
    ...Object.fromEntries(
      Object.entries(rest).map(([name, value]) => [name, numbers.has(name) ? Number(value) : value]),
    ),
    ...numbered(limits),
  };
  const source = connection === undefined ? {} : { connection_id: connection };
  const tool = tools[operation as Operation];
  if (operation === "fetch" || operation === "readField") {
    const id = connection === undefined ? `${stream}:${recordId}` : `${connection}/${stream}:${recordId}`;
    return {
      tool,
      arguments: {
        id,
        ...(field === undefined ? {} : { field_path: field }),
        ...(q === undefined ? {} : { q }),
        ...args,
      },
    };
  }
  if (operation === "search") return { tool, arguments: { query: q, ...source, ...args } };
  return {
    tool,
    arguments: {
      ...(stream === undefined ? {} : { stream }),
      ...(field === undefined ? {} : { field }),
      ...source,
      ...args,
    },
  };
}

function toCall({ tool, arguments: given }: ToolCall): Call {
  const { id, field_path: field, query, ...rest } = given as Loose;
  const handle = id === undefined ? null : parseHandle(id);
  return normalize(operationOf[tool]!, {
    ...(handle === null
      ? {}
      : { connection_id: handle.connectionId, stream: handle.stream, record_id: handle.recordId }),
    ...(field === undefined ? {} : { field }),
    ...(query === undefined ? {} : { q: query }),
    ...rest,
  });
}

export function createMcpSurface(name: string, client: Connected, get: (address: string) => Promise<Answer>): Surface {
  const call = async (made: ToolCall): Promise<Answer> => {
    const result = await client.follow(made).catch(refused);
    // A document is the same in text and object; elsewhere the text has what a model can follow.
    const calls = made.tool === "fetch" ? findOfferedCalls(result.structuredContent) : parseOfferedCalls(result.text);
    const addresses = made.tool === "fetch" ? findBytes(result.structuredContent) : listBytesLines(result.text);
    const ways = addresses.map(
      (address): Offer => ({
        call: bytesCall({ rest: address }),
        spelled: `GET ${address}`,
        follow: () => get(address),
      }),
    );
    return {
      said: parseResult(made.tool, result),
      offers: [
        ...calls.map(
          (each): Offer => ({
            call: toCall(each),
            spelled: `${each.tool} ${JSON.stringify(each.arguments)}`,
            follow: () => call(each),
          }),
        ),
        ...ways,
      ],
    };
  };
  return { name, ask: (neutral) => call(toToolCall(neutral)), close: () => client.close() };
}

/** A hosted server rejects a request before the tool runs; the error is in the response body. */
function refused(error: Error): Result {
  const code = /"code":\s*"(\w+)"/.exec(error.message)?.[1];
  if (code === undefined) throw error;
  return { content: [], structuredContent: { error: { code } }, isError: true, text: "" };
}

function parseResult(tool: string, { structuredContent: body, isError }: Result): NeutralAnswer {
  if (isError) {
    const candidates = (body.error.available_connections ?? []).map((each: Loose) => each.connection_id);
    return { error: { code: body.error.code, candidates } };
  }
  const page = {
    next: body.next === undefined ? undefined : toCall(body.next),
    warnings: normalizeWarnings(body.warnings),
  };
  switch (tool) {
    case "schema":
      return parseSchema(body.data);
    case "search":
      return {
        hits: body.results.map((hit: Loose) =>
          parseHit(
            hit,
            (body.content_ladder?.records ?? []).filter(({ id }: Loose) => id === hit.id),
            body.sources,
          ),
        ),
        count: body.count,
        ...page,
      };
    case "query_records":
      return {
        records: body.records.map((item: Loose) => parseItem(item.deleted ? item : { ...body.shared, ...item })),
        count: body.count?.value,
        later: body.next_changes === undefined ? undefined : toCall(body.next_changes),
        ...page,
      };
    case "aggregate": {
      const records = body.filtered_record_count;
      if (body.groups === undefined) return { number: { values: normalizeAmounts(body), records } };
      return {
        groups: {
          counts: body.groups.map(normalizeGroup),
          others: body.other_count ?? 0,
          records,
        },
      };
    }
    case "fetch":
      return { document: parseDocument(body) };
    default:
      return { window: parseWindow(body), warnings: page.warnings };
  }
}

function parseSchema({ connectors, detail }: Loose): NeutralAnswer {
  if (detail === "full") return {};
  const all = (each: Loose) => each.connections.map(({ connection_id: id }: Loose) => id);
  if (detail === "index") {
    // The index has no fields, so only its names are compared.
    const sources = connectors.flatMap((connector: Loose) => connector.sources);
    return { schema: [], connections: [...new Set<string>(sources.flatMap(all))].sort() };
  }
  const streams = connectors.flatMap((connector: Loose) =>
    connector.streams.map((stream: Loose) => ({ ...stream, key: connector.connector_key })),
  );
  const schema = streams.flatMap(({ key, name, field_capabilities: fields }: Loose) =>
    Object.entries(fields).map(([field, flags]) => `${key} ${name} ${field} ${flags}`),
  );
  return { schema: schema.sort(), connections: [...new Set<string>(streams.flatMap(all))].sort() };
}

/** A hit's id contains its connection and stream; the page's sources have the rest. */
function parseHit(hit: Loose, rungs: readonly Loose[], sources: readonly Loose[]): Hit {
  const { connectionId, stream } = parseHandle(hit.id)!;
  const source = sources.find(({ connection_id: id }: Loose) => id === connectionId);
  const passages = [...(hit.preview === undefined ? [] : [hit]), ...rungs];
  return {
    id: hit.id,
    title: hit.title,
    provenance: normalizeOrigin({ ...source, stream, event_time: hit.event_time ?? parseTitleTime(hit.title) }),
    details: parseDetails(hit),
    passages: passages.map(({ field_path: path, preview, chars }: Loose) => {
      const [start, end, total] = /^(\d+)-(\d+) of (\d+)$/
        .exec(chars ?? "")
        ?.slice(1)
        .map(Number) ?? [0, 0, 0];
      return { path, preview, before: start! > 0, after: end! < total! };
    }),
    read: toCall(buildHitRead(hit)),
    reply: parseReply(hit.reply),
    similar:
      hit.similar === undefined
        ? undefined
        : { count: hit.similar.count, times: hit.similar.event_times ?? [], read: toCall(hit.similar.read) },
  };
}

/** A title made from the time is shown as the time. */
function parseTitleTime(title: string): string | undefined {
  const [, day, clock, offset] = /, (\d{4}-\d\d-\d\d) (\d\d:\d\d) (UTC|[+-]\d\d:\d\d)$/.exec(title) ?? [];
  return day === undefined ? undefined : new Date(`${day}T${clock}:00${offset === "UTC" ? "Z" : offset}`).toISOString();
}

const parseReply = (reply: Loose): Hit["reply"] =>
  reply === undefined
    ? undefined
    : {
        text: reply.text ?? reply.begins,
        truncated: reply.text === undefined,
        read: toCall(reply.read ?? { tool: "fetch", arguments: { id: reply.id } }),
      };

const parseDetails = ({ details = {}, units = {}, begins = {} }: Loose): Detail[] =>
  Object.entries({ ...details, ...begins })
    .map(([path, value]) => ({ path, value, unit: units[path], truncated: path in begins }))
    .sort((a, b) => (a.path < b.path ? -1 : 1));

const parseItem = (item: Loose): Card | Tombstone =>
  item.deleted
    ? { id: item.id, deleted: item.deleted_at }
    : normalizeCard(parseCard(item), item.read === undefined ? undefined : toCall(item.read));

const parseFields = ({ fields = {}, described = [] }: Loose): Field[] =>
  sortByPath([
    ...Object.entries(fields).map(([path, value]): Field => ({ path, value, reads: [] })),
    ...described.map(parseDescription),
  ]);

const parseCard = (card: Loose): Card => ({
  id: card.id,
  title: card.title,
  provenance: normalizeProvenance(card),
  complete: card.complete,
  fields: parseFields(card),
  ...parseOmitted(card),
  ...(card.expanded === undefined ? {} : { related: Object.entries(card.expanded).map(parseRelated) }),
});

const parseOmitted = ({ omitted }: Loose): Pick<Card, "omitted"> =>
  omitted === undefined ? {} : { omitted: { count: omitted.count, read: toCall(omitted.read) } };

const parseRelated = ([name, { records, has_more: more, next }]: [string, Loose]): Related => ({
  name,
  cards: records.map((each: Loose) => normalizeNested(parseItem(each) as Card)),
  more: more === true,
  ...(next === undefined ? {} : { next: toCall(next) }),
});

const findBytesUrl = ({ rest }: Loose): string => rest.replace(/^GET (https?:\/\/[^/]+)?/, "");

function bytesCall(bytes: Loose): Call {
  const { operation, input } = parseUrl(findBytesUrl(bytes));
  return normalize(operation, input);
}

/** Reads of bytes: objects in a document, lines elsewhere. */
function findBytes(value: Loose): string[] {
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([name, each]) => {
    if (name === "fields") return [];
    return name === "bytes" && typeof (each as Loose)?.rest === "string" ? [findBytesUrl(each)] : findBytes(each);
  });
}
const listBytesLines = (text: string): string[] =>
  [...text.matchAll(/^bytes: GET (?:https?:\/\/[^/]+)?(\S+) with this token/gm)].map(([, address]) => address!);

function parseDescription(field: Loose): Field {
  const { field_path: path } = field;
  if (field.preview !== undefined) {
    const preview = { text: field.preview, end: field.window.end_chars, total: field.window.total_chars };
    return { path, preview, reads: [toCall(field.read)] };
  }
  if (field.encoding !== undefined) {
    const kind = [field.encoding, field.media_type].filter(Boolean).join(", ");
    return { path, encoded: { kind, total: field.total_chars }, reads: [], bytes: [bytesCall(field.bytes)] };
  }
  return {
    path,
    blobs: field.blobs.map(({ mime_type: type, size_bytes: size }: Loose) => ({ type, size })),
    reads: [...field.blobs.map(({ text }: Loose) => text), field.read].flatMap((read: Loose) =>
      read === undefined ? [] : [toCall(read)],
    ),
    bytes: field.blobs.map(({ bytes }: Loose) => bytesCall(bytes)),
  };
}

const parseWindow = ({ id, field, window, next, previous, provenance }: Loose) => ({
  id,
  provenance: normalizeProvenance(provenance),
  path: field.path,
  type: field.type,
  start: window.start_chars,
  end: window.end_chars,
  total: window.total_chars,
  complete: window.complete,
  match: window.match === undefined ? undefined : ([window.match.start_chars, window.match.end_chars] as const),
  text: window.text,
  next: next === undefined ? undefined : toCall(next),
  previous: previous === undefined ? undefined : toCall(parsePrevious(id, field.path, previous)),
});

/** An id too long to be repeated is that of the call. */
const parsePrevious = (id: string, path: string, previous: Loose): ToolCall =>
  previous.same_call_with === undefined
    ? previous
    : { tool: "read_record_field", arguments: { id, field_path: path, ...previous.same_call_with } };

const parseDocument = ({ id, title, text, url, metadata }: Loose) => ({
  url,
  links: (metadata.related ?? []).map(({ relationship: name, count, has_more: more, read }: Loose) => ({
    name,
    count,
    more: more === true,
    read: toCall(read),
  })),
  id,
  title,
  text,
  provenance: normalizeProvenance(metadata),
  complete: metadata.complete,
  fields: parseFields(metadata),
  ...parseOmitted(metadata),
  ...(metadata.expanded === undefined ? {} : { related: Object.entries(metadata.expanded).map(parseRelated) }),
  cut: (metadata.continues ?? []).map(({ field_path: path, window, read }: Loose) => ({
    path,
    end: window.end_chars,
    total: window.total_chars,
    read: toCall(read),
  })),
});
