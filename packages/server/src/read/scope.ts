import { type ConnectionCandidate, PdppError } from "@pdpp/contract/errors";
import { mayRead, type Scope, type StreamScope } from "../store/access/scope.ts";

const maxCandidates = 12;

/** The streams of that name, narrowed to a connection when one is given. */
export function streamsNamed(scope: Scope, name: string, connectionId?: string): StreamScope[] {
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
  if (narrowed.length === 0) throw unknownConnection(connectionId, candidatesOf(named));
  return narrowed;
}

export function narrow(streams: readonly StreamScope[], connectionId: string): StreamScope[] {
  return streams.flatMap((stream) => {
    const connections = stream.connections.filter(({ id }) => id === connectionId);
    return connections.length === 0 ? [] : [{ ...stream, connections }];
  });
}

/** Every stream of the scope, or of one of its connections. */
export function streamsOf(scope: Scope, connectionId?: string): readonly StreamScope[] {
  if (connectionId === undefined) return scope.streams;
  const narrowed = narrow(scope.streams, connectionId);
  if (narrowed.length === 0) throw unknownConnection(connectionId, candidatesOf(scope.streams));
  return narrowed;
}

/** One stream of one source, over all its connections: what a list or a count reads. */
export function oneSource(scope: Scope, name: string, connectionId?: string): StreamScope {
  const found = streamsNamed(scope, name, connectionId);
  if (found.length > 1) throw ambiguous(name, found);
  return found[0]!;
}

/** One stream of one connection: what a read of one record needs. */
export function oneConnection(scope: Scope, name: string, connectionId?: string): StreamScope {
  const found = streamsNamed(scope, name, connectionId);
  const [only, ...others] = found;
  if (only === undefined || others.length > 0 || only.connections.length > 1) throw ambiguousRecord(name, found);
  return only;
}

export function candidatesOf(streams: readonly StreamScope[]): ConnectionCandidate[] {
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
const labelOf = ({ display_name: label, connection_id: id }: ConnectionCandidate): string => label ?? id;

/** Candidates as an error carries them: by label, a dozen at most, and how many there are. */
export function listedCandidates(found: readonly ConnectionCandidate[]) {
  const candidates = found.toSorted(
    (a, b) => labels.compare(labelOf(a), labelOf(b)) || labels.compare(a.connection_id, b.connection_id),
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

export function ambiguous(what: string, streams: readonly StreamScope[]): PdppError {
  return new PdppError(
    "ambiguous_connection",
    `${what} is in several connections of this grant; say which with connection_id`,
    {
      retry_with: "connection_id",
      ...listedCandidates(candidatesOf(streams)),
    },
  );
}

/** With the fields that are the key, where the grant has them: a list filtered by them finds the record wherever it is. */
function ambiguousRecord(name: string, streams: readonly StreamScope[]): PdppError {
  const error = ambiguous(name, streams);
  const keys = new Set(streams.map(({ stream }) => JSON.stringify(stream.declaration.primaryKey)));
  const key = streams[0]?.stream.declaration.primaryKey ?? [];
  const readable = streams.every((stream) => key.every((field) => mayRead(stream, field)));
  return keys.size === 1 && readable
    ? new PdppError(error.code, error.message, { ...error.details, primary_key: [...key] })
    : error;
}

export function unknownConnection(connectionId: string, candidates: ConnectionCandidate[]): PdppError {
  return new PdppError(
    "connection_not_found",
    `this grant has no connection ${JSON.stringify(connectionId)} for this read`,
    {
      param: "connection_id",
      ...listedCandidates(candidates),
    },
  );
}
