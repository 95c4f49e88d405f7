import { buildUrl, parseUrl } from "@pdpp/contract/address";
import {
  type Answer,
  type Call,
  type Card,
  type Field,
  findRest,
  type Hit,
  type Loose,
  listPassages,
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
  readBytesAt,
  type Surface,
  sortByPath,
  type Tombstone,
} from "./neutral.ts";

/** Adapter for REST, where a continuation is a URL. */

const views: { readonly [operation: string]: string } = {
  schema: "compact",
  queryRecords: "evidence",
  fetch: "document",
};

export function createRestSurface(url: string, token: string): Surface {
  const get = async (address: string): Promise<Loose> => {
    const response = await fetch(new URL(address, url), { headers: { authorization: `Bearer ${token}` } });
    return response.headers.get("content-type")?.includes("json") ? response.json() : {};
  };
  const answer = (body: Loose): Answer => ({
    said: parseResponse(body),
    offers: listUrls(body).map(
      ({ address, isBytes }): Offer => ({
        call: toCall(address),
        spelled: `GET ${address}`,
        follow: async () => {
          if (isBytes) return readBytesAt(url, token, address);
          const found = await get(address);
          // Plain records have no counterpart on other surfaces; documents and cards do.
          const view = found.object === "record" ? "document" : found.data?.[0]?.object === "record" ? "evidence" : "";
          return answer(view === "" ? found : await get(`${address}${address.includes("?") ? "&" : "?"}view=${view}`));
        },
      }),
    ),
  });
  return {
    name: "REST",
    ask: async ({ operation, input }) => {
      const view = views[operation];
      // Tools and commands always collapse near-duplicate hits.
      const collapse = operation === "search" ? { collapse: "similar" } : {};
      return answer(await get(buildUrl(operation, { ...(view === undefined ? {} : { view }), ...collapse, ...input })));
    },
    close: async () => undefined,
  };
}

const toCall = (address: string): Call => {
  const { operation, input } = parseUrl(address);
  return normalize(operation, input);
};

interface Address {
  readonly address: string;
  /** It returns bytes rather than text. */
  readonly isBytes: boolean;
}

/** Collects every continuation and the next page. */
function listUrls(value: Loose, isBytes = false): Address[] {
  if (typeof value !== "object" || value === null) return [];
  if (value.method === "GET" && typeof value.url === "string")
    return [{ address: value.url, isBytes: isBytes || value.operation === "readBlob" }];
  const next = value.object === "list" && value.links?.next ? [value.links.next] : [];
  const later = laterOf(value);
  return [
    ...[...next, ...(later === undefined ? [] : [later])].map((address) => ({ address, isBytes: false })),
    ...Object.entries(value).flatMap(([name, each]) =>
      listUrls(each, name === "bytes" || (name === "read" && value.shown === "encoded")),
    ),
  ];
}

/** A bookmark goes into the same URL. */
function laterOf({ next_changes_since: bookmark, links }: Loose): string | undefined {
  if (bookmark === undefined) return undefined;
  const { operation, input } = parseUrl(links.self);
  const { cursor: _, ...rest } = input;
  return buildUrl(operation, { ...rest, changes_since: bookmark });
}

function parseResponse(body: Loose): NeutralAnswer {
  if (body.error !== undefined) {
    const candidates = (body.error.available_connections ?? []).map((each: Loose) => each.connection_id);
    return { error: { code: body.error.code, candidates } };
  }
  if (body.object === "schema") return parseSchema(body);
  if (body.object === "field_window")
    return { window: parseWindow(body), warnings: normalizeWarnings(body.meta.warnings) };
  if (body.object === "record_document") return { document: parseDocument(body) };
  if (body.object === "evidence_card") return { records: [parseCard(body)] };
  if (body.object === "aggregation") {
    const records = body.filtered_record_count;
    if (body.groups === undefined) return { number: { values: normalizeAmounts(body), records } };
    return { groups: { counts: body.groups.map(normalizeGroup), others: body.other_count ?? 0, records } };
  }
  if (body.object !== "list") return {};
  const page = {
    next: body.links.next ? toCall(body.links.next) : undefined,
    warnings: normalizeWarnings(body.meta.warnings),
  };
  if (body.meta.recall !== undefined) return { hits: body.data.map(parseHit), count: body.meta.count, ...page };
  const later = laterOf(body);
  return {
    records: body.data.map(parseItem),
    count: body.meta.count?.value,
    later: later === undefined ? undefined : toCall(later),
    ...page,
  };
}

function parseSchema({ connectors }: Loose): NeutralAnswer {
  const schema = connectors.flatMap(({ connector_key: key, streams }: Loose) =>
    streams.flatMap(({ name, field_capabilities: fields }: Loose) =>
      Object.entries(fields).map(([field, flags]) => `${key} ${name} ${field} ${flags}`),
    ),
  );
  const connections = connectors.flatMap(({ granted_connections: shared, streams }: Loose) =>
    [shared, ...streams.map((stream: Loose) => stream.granted_connections ?? [])]
      .flat()
      .map((each: Loose) => each.connection_id),
  );
  return { schema: schema.sort(), connections: [...new Set<string>(connections)].sort() };
}

function parseItem(item: Loose): Card | Tombstone {
  if (item.deleted) return { id: `${item.connection_id}/${item.stream}:${item.id}`, deleted: item.deleted_at };
  const card = parseCard(item);
  return normalizeCard(card, findRest(card));
}

const parseCard = (card: Loose): Card => ({
  id: card.id,
  title: card.title,
  provenance: normalizeProvenance(card),
  complete: card.complete,
  fields: sortByPath([...Object.values(card.slots).flat(), ...card.fields].map(parseField)),
  ...parseOmitted(card),
  ...(card.expanded === undefined ? {} : { related: Object.entries(card.expanded).map(parseRelated) }),
});

const parseOmitted = ({ omitted }: Loose): Pick<Card, "omitted"> =>
  omitted === undefined ? {} : { omitted: { count: omitted.count, read: toCall(omitted.read.url) } };

function parseRelated([name, value]: [string, Loose]): Related {
  const cards: Loose[] = value === null ? [] : value.object === "list" ? value.data : [value];
  return {
    name,
    cards: cards.map((each) => {
      const card = parseCard(each);
      return normalizeNested(normalizeCard(card, findRest(card)));
    }),
    more: value?.has_more === true,
    ...(value?.next === undefined ? {} : { next: toCall(value.next.url) }),
  };
}

function parseField(field: Loose): Field {
  const { field_path: path } = field;
  if (field.shown === "inline") return { path, value: field.value, reads: [] };
  if (field.shown === "preview") {
    const preview = { text: field.preview, end: field.window.end_chars, total: field.window.total_chars };
    return { path, preview, reads: [toCall(field.read.url)] };
  }
  if (field.shown === "encoded") {
    const kind = [field.encoding, field.media_type].filter(Boolean).join(", ");
    return { path, encoded: { kind, total: field.total_chars }, reads: [], bytes: [toCall(field.read.url)] };
  }
  return {
    path,
    blobs: field.references.map(({ mime_type: type, size_bytes: size }: Loose) => ({ type, size })),
    reads: [...field.references.map(({ text }: Loose) => text), field.read].flatMap((read: Loose) =>
      read === undefined ? [] : [toCall(read.url)],
    ),
    bytes: field.references.map(({ read }: Loose) => toCall(read.url)),
  };
}

const parseHit = (hit: Loose): Hit => ({
  id: hit.id,
  title: hit.title,
  provenance: normalizeOrigin(hit),
  details: (hit.details ?? [])
    .map(({ field_path: path, value, unit, truncated }: Loose) => ({ path, value, unit, truncated }))
    .sort((a: Loose, b: Loose) => (a.path < b.path ? -1 : 1)),
  passages: listPassages(hit),
  read: toCall(hit.evidence[0]?.read.url ?? hit.record_url),
  reply:
    hit.reply === undefined
      ? undefined
      : { text: hit.reply.preview, truncated: hit.reply.truncated, read: toCall(hit.reply.read.url) },
  similar:
    hit.similar === undefined
      ? undefined
      : { count: hit.similar.count, times: hit.similar.event_times, read: toCall(hit.similar.read.url) },
});

const parseWindow = ({ window, field, next, previous, ...of }: Loose) => ({
  id: `${of.connection_id}/${of.stream}:${of.record_id}`,
  provenance: normalizeProvenance(of),
  path: field.path,
  type: field.type,
  start: window.start_chars,
  end: window.end_chars,
  total: window.total_chars,
  complete: window.complete,
  match: window.match_start_chars === null ? undefined : ([window.match_start_chars, window.match_end_chars] as const),
  text: window.text,
  next: next === null ? undefined : toCall(next.url),
  previous: previous === null ? undefined : toCall(previous.url),
});

const parseDocument = ({ id, title, text, metadata, citation_url: url = "", related = [], expanded }: Loose) => ({
  url,
  links: related.map(({ relationship: name, count, has_more: more, read }: Loose) => ({
    name,
    count,
    more: more === true,
    read: toCall(read.url),
  })),
  id,
  title,
  text,
  provenance: normalizeProvenance(metadata),
  complete: metadata.complete,
  fields: sortByPath(metadata.fields.map(parseField)),
  ...parseOmitted(metadata),
  ...(expanded === undefined ? {} : { related: Object.entries(expanded).map(parseRelated) }),
  cut: metadata.parts.flatMap((part: Loose) =>
    part.read === undefined
      ? []
      : [
          {
            path: part.field_path,
            end: part.window.end_chars,
            total: part.window.total_chars,
            read: toCall(part.read.url),
          },
        ],
  ),
});
