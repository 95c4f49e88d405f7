import { callOf } from "@pdpp/contract/address";
import { parseHandle } from "@pdpp/evidence/handle";
import { type Connected, offered, offeredIn, type Result, type Call as ToolCall } from "../support/mcp-clients.ts";
import {
  type Answer,
  byPath,
  type Call,
  type Card,
  type Field,
  type Hit,
  type Loose,
  normal,
  type Offer,
  originOf,
  passagesOf,
  provenanceOf,
  type Related,
  type Said,
  type Surface,
  shownCard,
  type Tombstone,
  warningsOf,
} from "./neutral.ts";

/** MCP: a continuation is a tool with its arguments. */

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

/** Numbers travel as text here, and tools take them as numbers. */
const numbered = (limits: Loose): object =>
  limits === undefined
    ? {}
    : { expand_limit: Object.fromEntries(Object.entries(limits).map(([name, n]) => [name, Number(n)])) };

const numbers = new Set(["limit", "offset_chars", "end_chars", "limit_chars", "before_chars", "after_chars"]);

/** A neutral call in the tool's own names. */
function toolCallOf({ operation, input }: Call): ToolCall {
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
  return normal(operationOf[tool]!, {
    ...(handle === null
      ? {}
      : { connection_id: handle.connectionId, stream: handle.stream, record_id: handle.recordId }),
    ...(field === undefined ? {} : { field }),
    ...(query === undefined ? {} : { q: query }),
    ...rest,
  });
}

export function mcpSurface(name: string, client: Connected, get: (address: string) => Promise<Answer>): Surface {
  const call = async (made: ToolCall): Promise<Answer> => {
    const result = await client.follow(made).catch(refused);
    // A document is the same object in both forms; elsewhere what a model can follow stands in the text.
    const calls = made.tool === "fetch" ? offeredIn(result.structuredContent) : offered(result.text);
    const addresses = made.tool === "fetch" ? bytesIn(result.structuredContent) : bytesLines(result.text);
    const ways = addresses.map(
      (address): Offer => ({
        call: bytesCall({ rest: address }),
        spelled: `GET ${address}`,
        follow: () => get(address),
      }),
    );
    return {
      said: saidBy(made.tool, result),
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
  return { name, ask: (neutral) => call(toolCallOf(neutral)), close: () => client.close() };
}

/** A hosted server refuses a request before the tool: the error is in the body of the refusal. */
function refused(error: Error): Result {
  const code = /"code":\s*"(\w+)"/.exec(error.message)?.[1];
  if (code === undefined) throw error;
  return { content: [], structuredContent: { error: { code } }, isError: true, text: "" };
}

function saidBy(tool: string, { structuredContent: body, isError }: Result): Said {
  if (isError) {
    const candidates = (body.error.available_connections ?? []).map((each: Loose) => each.connection_id);
    return { error: { code: body.error.code, candidates } };
  }
  const page = {
    next: body.next === undefined ? undefined : toCall(body.next),
    warnings: warningsOf(body.warnings),
  };
  switch (tool) {
    case "schema":
      return schemaSaid(body.data);
    case "search":
      return {
        hits: body.results.map((hit: Loose) =>
          hitOf(
            hit,
            body.content_ladder.records.filter(({ id }: Loose) => id === hit.id),
          ),
        ),
        count: body.count,
        ...page,
      };
    case "query_records":
      return {
        records: body.records.map((item: Loose) => itemOf(item.deleted ? item : { ...body.shared, ...item })),
        count: body.count?.value,
        later: body.next_changes === undefined ? undefined : toCall(body.next_changes),
        ...page,
      };
    case "aggregate": {
      const records = body.filtered_record_count;
      if (body.groups === undefined) return { number: { value: body.value, records } };
      return {
        groups: {
          counts: body.groups.map(({ key, count }: Loose) => [key, count]),
          others: body.other_count ?? 0,
          records,
        },
      };
    }
    case "fetch":
      return { document: documentOf(body) };
    default:
      return { window: windowOf(body), warnings: page.warnings };
  }
}

function schemaSaid({ connectors, detail }: Loose): Said {
  if (detail === "full") return {};
  const all = (each: Loose) => each.connections.map(({ connection_id: id }: Loose) => id);
  if (detail === "index") {
    // The index has no fields; what it names is all there is to compare.
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

const hitOf = (hit: Loose, rungs: readonly Loose[]): Hit => ({
  id: hit.id,
  title: hit.title,
  provenance: originOf(hit),
  passages: passagesOf(hit.title, rungs),
  read: toCall(rungs[0].read),
});

const itemOf = (item: Loose): Card | Tombstone =>
  item.deleted
    ? { id: item.id, deleted: item.deleted_at }
    : shownCard(cardOf(item), item.read === undefined ? undefined : toCall(item.read));

const fieldsOf = ({ fields = {}, described = [] }: Loose): Field[] =>
  byPath([
    ...Object.entries(fields).map(([path, value]): Field => ({ path, value, reads: [] })),
    ...described.map(describedOf),
  ]);

const cardOf = (card: Loose): Card => ({
  id: card.id,
  title: card.title,
  provenance: provenanceOf(card),
  complete: card.complete,
  fields: fieldsOf(card),
  ...omittedOf(card),
  ...(card.expanded === undefined ? {} : { related: Object.entries(card.expanded).map(relatedOf) }),
});

const omittedOf = ({ omitted }: Loose): Pick<Card, "omitted"> =>
  omitted === undefined ? {} : { omitted: { count: omitted.count, read: toCall(omitted.read) } };

const relatedOf = ([name, { records, next }]: [string, Loose]): Related => ({
  name,
  titles: records.map(({ title }: Loose) => title),
  ...(next === undefined ? {} : { next: toCall(next) }),
});

const addressOfBytes = ({ rest }: Loose): string => rest.replace(/^GET /, "");

function bytesCall(bytes: Loose): Call {
  const { operation, input } = callOf(addressOfBytes(bytes));
  return normal(operation, input);
}

/** Ways to bytes: in a document as objects, elsewhere as lines. */
function bytesIn(value: Loose): string[] {
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([name, each]) => {
    if (name === "fields") return [];
    return name === "bytes" && typeof (each as Loose)?.rest === "string" ? [addressOfBytes(each)] : bytesIn(each);
  });
}
const bytesLines = (text: string): string[] =>
  [...text.matchAll(/^bytes: GET (\S+) with this token/gm)].map(([, address]) => address!);

function describedOf(field: Loose): Field {
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

const windowOf = ({ id, field, window, next, previous, provenance }: Loose) => ({
  id,
  provenance: provenanceOf(provenance),
  path: field.path,
  type: field.type,
  start: window.start_chars,
  end: window.end_chars,
  total: window.total_chars,
  complete: window.complete,
  match: window.match === undefined ? undefined : ([window.match.start_chars, window.match.end_chars] as const),
  text: window.text,
  next: next === undefined ? undefined : toCall(next),
  previous: previous === undefined ? undefined : toCall(backOf(id, field.path, previous)),
});

/** An id that is too long to be repeated is that of the call before. */
const backOf = (id: string, path: string, previous: Loose): ToolCall =>
  previous.same_call_with === undefined
    ? previous
    : { tool: "read_record_field", arguments: { id, field_path: path, ...previous.same_call_with } };

const documentOf = ({ id, title, text, metadata }: Loose) => ({
  id,
  title,
  text,
  provenance: provenanceOf(metadata),
  complete: metadata.complete,
  fields: fieldsOf(metadata),
  ...omittedOf(metadata),
  cut: (metadata.continues ?? []).map(({ field_path: path, window, read }: Loose) => ({
    path,
    end: window.end_chars,
    total: window.total_chars,
    read: toCall(read),
  })),
});
