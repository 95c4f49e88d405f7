import { type ConnectionCandidate, PdppError, type UnavailableConnection } from "@pdpp/contract/errors";
import { canRead, type Scope, type StreamScope } from "../store/access/scope.ts";

const maxCandidates = 12;

export function findStreams(scope: Scope, name: string, connectionId?: string): StreamScope[] {
  const named = scope.streams.filter(({ stream }) => stream.declaration.name === name);
  if (named.length === 0) {
    if (scope.undeclared.includes(name)) {
      throw new PdppError(
        "stream_not_declared",
        `stream ${name} was granted, but its connector no longer declares it`,
        { param: "stream" },
      );
    }
    throw new PdppError(
      scope.tokenKind === "owner" ? "not_found" : "grant_stream_not_allowed",
      `there is no stream ${JSON.stringify(name)} in this grant; the schema lists what there is`,
      { param: "stream" },
    );
  }
  if (connectionId === undefined) return named;
  const narrowed = narrow(named, connectionId);
  if (narrowed.length === 0) throw createUnknownConnectionError(connectionId, listCandidates(named));
  return narrowed;
}

export function narrow(streams: readonly StreamScope[], connectionId: string): StreamScope[] {
  return streams.flatMap((stream) => narrowStream(stream, connectionId) ?? []);
}

/** The same object for the same stream, so that what is kept for it can be used again. */
const narrowedStreams = new WeakMap<StreamScope, Map<string, StreamScope>>();

function narrowStream(stream: StreamScope, connectionId: string): StreamScope | undefined {
  const held = narrowedStreams.get(stream) ?? new Map<string, StreamScope>();
  const known = held.get(connectionId);
  if (known !== undefined) return known;
  const connections = stream.connections.filter(({ id }) => id === connectionId);
  if (connections.length === 0) return undefined;
  const narrowed = { ...stream, connections };
  held.set(connectionId, narrowed);
  narrowedStreams.set(stream, held);
  return narrowed;
}

export function getStreams(scope: Scope, connectionId?: string): readonly StreamScope[] {
  if (connectionId === undefined) return scope.streams;
  const narrowed = narrow(scope.streams, connectionId);
  if (narrowed.length === 0) throw createUnknownConnectionError(connectionId, listCandidates(scope.streams));
  return narrowed;
}

/** Throws if a stream cannot answer a call. It must not read records. */
export type Prepare = (stream: StreamScope) => unknown;

/** For lists and counts: one stream of one source, with all its connections. */
export function findOneStream(scope: Scope, name: string, connectionId?: string, prepare?: Prepare): StreamScope {
  const found = findStreams(scope, name, connectionId);
  if (found.length > 1) throw createAmbiguousError(name, splitByAbility(name, found, prepare));
  return found[0]!;
}

/** For reads of one record: one stream of one connection. */
export function findOneConnection(scope: Scope, name: string, connectionId?: string, prepare?: Prepare): StreamScope {
  const found = findStreams(scope, name, connectionId);
  const [only, ...others] = found;
  if (only === undefined || others.length > 0 || only.connections.length > 1)
    throw createAmbiguousRecordError(name, splitByAbility(name, found, prepare));
  return only;
}

export interface StreamsByAbility {
  readonly able: readonly StreamScope[];
  readonly unable: readonly { readonly stream: StreamScope; readonly reason: string }[];
}

/** Throws if no stream can answer: then the call is wrong, whichever connection is meant. */
export function splitByAbility(name: string, streams: readonly StreamScope[], prepare?: Prepare): StreamsByAbility {
  const refusals = streams.flatMap((stream) => {
    const error = prepare === undefined ? undefined : findRefusal(stream, prepare);
    return error === undefined ? [] : [{ stream, error }];
  });
  const [first] = refusals;
  if (first !== undefined && refusals.length === streams.length) {
    const reasons = new Set(refusals.map(({ error }) => getReason(error)));
    if (new Set(refusals.map(({ error }) => error.message)).size === 1) throw first.error;
    const message = `no connection with stream ${name} can answer this: ${[...reasons].join("; ")}`;
    throw new PdppError(first.error.code, message, first.error.details);
  }
  const refused = new Set(refusals.map(({ stream }) => stream));
  return {
    able: streams.filter((stream) => !refused.has(stream)),
    unable: refusals.map(({ stream, error }) => ({ stream, reason: getReason(error) })),
  };
}

export const canAnswer = (stream: StreamScope, prepare: Prepare): boolean => findRefusal(stream, prepare) === undefined;

function findRefusal(stream: StreamScope, prepare: Prepare): PdppError | undefined {
  try {
    prepare(stream);
    return undefined;
  } catch (error) {
    if (error instanceof PdppError) return error;
    throw error;
  }
}

/** The message without its advice. */
const getReason = ({ message }: PdppError): string => message.split("; ")[0] ?? message;

export function listCandidates(streams: readonly StreamScope[]): ConnectionCandidate[] {
  const seen = new Map<string, ConnectionCandidate>();
  for (const { grantId, connectorKey, connections } of streams) {
    for (const { id, label } of connections) {
      seen.set(`${grantId} ${id}`, {
        ...(grantId === undefined ? {} : { grant_id: grantId }),
        connector_key: connectorKey,
        connection_id: id,
        ...(label === undefined ? {} : { display_name: label }),
      });
    }
  }
  return [...seen.values()];
}

const labels = new Intl.Collator("en", { numeric: true });
const getLabel = ({ display_name: label, connection_id: id }: ConnectionCandidate): string => label ?? id;

export function describeCandidates(found: readonly ConnectionCandidate[]) {
  const candidates = found.toSorted(
    (a, b) => labels.compare(getLabel(a), getLabel(b)) || labels.compare(a.connection_id, b.connection_id),
  );
  const truncated = candidates.length > maxCandidates;
  return {
    available_connections: candidates.slice(0, maxCandidates),
    available_connection_count: candidates.length,
    ...(truncated
      ? { available_connections_truncated: true, discovery_hint: "the schema lists every connection of the grant" }
      : {}),
  };
}

export function createAmbiguousError(what: string, { able, unable }: StreamsByAbility): PdppError {
  const which = unable.length === 0 ? "" : "; only some can answer this";
  return new PdppError(
    "ambiguous_connection",
    `${what} is in several connections of this grant${which}; say which with connection_id`,
    {
      retry_with: "connection_id",
      ...describeCandidates(listCandidates(able)),
      ...(unable.length === 0 ? {} : { unavailable_connections: listUnavailable(unable) }),
    },
  );
}

export function listUnavailable(unable: StreamsByAbility["unable"]): UnavailableConnection[] {
  const all = unable.flatMap(({ stream, reason }) =>
    stream.connections.map(({ id }) => ({ connection_id: id, reason })),
  );
  return all.toSorted((a, b) => labels.compare(a.connection_id, b.connection_id)).slice(0, maxCandidates);
}

/** Names the key fields if they are granted: a list filtered by them finds the record in any connection. */
function createAmbiguousRecordError(name: string, divided: StreamsByAbility): PdppError {
  const error = createAmbiguousError(name, divided);
  const { able } = divided;
  const keys = new Set(able.map(({ stream }) => JSON.stringify(stream.declaration.primaryKey)));
  const key = able[0]?.stream.declaration.primaryKey ?? [];
  const readable = able.every((stream) => key.every((field) => canRead(stream, field)));
  return keys.size === 1 && readable
    ? new PdppError(error.code, error.message, { ...error.details, primary_key: [...key] })
    : error;
}

export function createUnknownConnectionError(connectionId: string, candidates: ConnectionCandidate[]): PdppError {
  return new PdppError(
    "connection_not_found",
    `this grant has no connection ${JSON.stringify(connectionId)} for this read`,
    {
      param: "connection_id",
      ...describeCandidates(candidates),
    },
  );
}
