import { type ConnectionCandidate, PdppError, type UnavailableConnection } from "@pdpp/contract/errors";
import { canRead, type Scope, type StreamScope } from "../store/access/scope.ts";

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

/** Prepares a call for a stream, and throws if the stream cannot answer it. It must not read any records. */
export type Prepare = (stream: StreamScope) => unknown;

/** One stream of one source, over all its connections: what a list or a count reads. */
export function oneSource(scope: Scope, name: string, connectionId?: string, prepare?: Prepare): StreamScope {
  const found = streamsNamed(scope, name, connectionId);
  if (found.length > 1) throw ambiguous(name, divide(name, found, prepare));
  return found[0]!;
}

/** One stream of one connection: what a read of one record needs. */
export function oneConnection(scope: Scope, name: string, connectionId?: string, prepare?: Prepare): StreamScope {
  const found = streamsNamed(scope, name, connectionId);
  const [only, ...others] = found;
  if (only === undefined || others.length > 0 || only.connections.length > 1)
    throw ambiguousRecord(name, divide(name, found, prepare));
  return only;
}

/** The streams that can answer a call, and the others with the reason. */
export interface Divided {
  readonly able: readonly StreamScope[];
  readonly unable: readonly { readonly stream: StreamScope; readonly reason: string }[];
}

/** Throws when no stream can answer: then the call is wrong, and another connection would not help. */
export function divide(name: string, streams: readonly StreamScope[], prepare?: Prepare): Divided {
  const refusals = streams.flatMap((stream) => {
    const error = prepare === undefined ? undefined : refusal(stream, prepare);
    return error === undefined ? [] : [{ stream, error }];
  });
  const [first] = refusals;
  if (first !== undefined && refusals.length === streams.length) {
    const reasons = new Set(refusals.map(({ error }) => reasonOf(error)));
    if (new Set(refusals.map(({ error }) => error.message)).size === 1) throw first.error;
    const message = `no connection with stream ${name} can answer this: ${[...reasons].join("; ")}`;
    throw new PdppError(first.error.code, message, first.error.details);
  }
  const refused = new Set(refusals.map(({ stream }) => stream));
  return {
    able: streams.filter((stream) => !refused.has(stream)),
    unable: refusals.map(({ stream, error }) => ({ stream, reason: reasonOf(error) })),
  };
}

export const canAnswer = (stream: StreamScope, prepare: Prepare): boolean => refusal(stream, prepare) === undefined;

function refusal(stream: StreamScope, prepare: Prepare): PdppError | undefined {
  try {
    prepare(stream);
    return undefined;
  } catch (error) {
    if (error instanceof PdppError) return error;
    throw error;
  }
}

/** What is wrong, without the advice that follows it. */
const reasonOf = ({ message }: PdppError): string => message.split("; ")[0] ?? message;

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

export function ambiguous(what: string, { able, unable }: Divided): PdppError {
  const which = unable.length === 0 ? "" : ", of which some can answer this";
  return new PdppError(
    "ambiguous_connection",
    `${what} is in several connections of this grant${which}; say which with connection_id`,
    {
      retry_with: "connection_id",
      ...listedCandidates(candidatesOf(able)),
      ...(unable.length === 0 ? {} : { unavailable_connections: listUnavailable(unable) }),
    },
  );
}

/** The connections that cannot answer, a dozen at most. */
export function listUnavailable(unable: Divided["unable"]): UnavailableConnection[] {
  const all = unable.flatMap(({ stream, reason }) =>
    stream.connections.map(({ id }) => ({ connection_id: id, reason })),
  );
  return all.toSorted((a, b) => labels.compare(a.connection_id, b.connection_id)).slice(0, maxCandidates);
}

/** With the fields that are the key, where the grant has them: a list filtered by them finds the record wherever it is. */
function ambiguousRecord(name: string, divided: Divided): PdppError {
  const error = ambiguous(name, divided);
  const { able } = divided;
  const keys = new Set(able.map(({ stream }) => JSON.stringify(stream.declaration.primaryKey)));
  const key = able[0]?.stream.declaration.primaryKey ?? [];
  const readable = able.every((stream) => key.every((field) => canRead(stream, field)));
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
