import { type GrantRequest, parseGrantRequest } from "@pdpp/contract/grant";
import type { ConnectionSummary, OwnerApi } from "@pdpp/contract/owner";
import { UsageError } from "../runtime/failure.ts";
import { readJsonFile } from "./json-file.ts";

export interface GrantFlags {
  readonly file?: string;
  readonly client?: string;
  readonly connection?: readonly string[];
  readonly stream?: readonly string[];
  readonly fields?: string;
  readonly since?: string;
  readonly until?: string;
  readonly record?: readonly string[];
  readonly expires?: string;
  readonly purpose?: string;
}

const flagNames = [
  "client",
  "connection",
  "stream",
  "fields",
  "since",
  "until",
  "record",
  "expires",
  "purpose",
] as const;

/** The request that a grant file or the flags mean. */
export async function buildGrantRequest(owner: OwnerApi, flags: GrantFlags): Promise<GrantRequest> {
  const given = flagNames.filter((name) => flags[name] !== undefined);
  if (flags.file !== undefined) {
    if (given.length > 0)
      throw new UsageError(`--file and --${given[0]} cannot be combined; put it into the grant file`);
    return parseGrantRequest(await readJsonFile(flags.file));
  }
  const missing = (["client", "connection", "stream"] as const).filter((name) => flags[name] === undefined);
  if (missing.length > 0)
    throw new UsageError(`missing --${missing.join(", --")}; give --client, --connection and --stream, or --file`);
  const connections: ConnectionSummary[] = [];
  for (const id of flags.connection ?? []) connections.push(await owner.connections.get(id));
  return parseGrantRequest({
    client: { name: flags.client },
    ...(flags.expires === undefined ? {} : { expires_at: flags.expires }),
    ...(flags.purpose === undefined ? {} : { purpose: flags.purpose }),
    sources: await buildSources(owner, connections, flags),
  });
}

/** One source for each connector; a stream goes to the connectors that have it. */
async function buildSources(owner: OwnerApi, connections: readonly ConnectionSummary[], flags: GrantFlags) {
  const declared = new Map((await owner.connectors.list()).map((connector) => [connector.connector_key, connector]));
  const streams = [...new Set(flags.stream)];
  const keys = [...new Set(connections.map(({ connector_key }) => connector_key))];
  const isDeclared = (key: string, name: string) => name === "*" || declared.get(key)?.streams.includes(name) === true;
  // With one connector a stream it lacks is refused by whoever issues the grant, with the streams there are.
  const selectStreams = (key: string) =>
    keys.length === 1 ? streams : streams.filter((name) => isDeclared(key, name));
  for (const name of streams) {
    if (keys.length > 1 && !keys.some((key) => isDeclared(key, name))) {
      throw new UsageError(
        `none of ${keys.join(", ")} has a stream ${JSON.stringify(name)}; pdpp connector show KEY lists what there is`,
      );
    }
  }
  return keys.map((key) => {
    const names = selectStreams(key);
    if (names.length === 0)
      throw new UsageError(
        `connector ${key} has none of the streams named; add one with --stream, or leave its connection out`,
      );
    const ids = connections.flatMap((held) => (held.connector_key === key ? [held.connection_id] : []));
    return { connector_key: key, streams: names.map((name) => buildStreamRequest(name, ids, flags)) };
  });
}

function buildStreamRequest(
  name: string,
  connectionIds: readonly string[],
  { fields, since, until, record }: GrantFlags,
) {
  const range = { ...(since === undefined ? {} : { since }), ...(until === undefined ? {} : { until }) };
  return {
    name,
    connection_ids: connectionIds,
    ...(fields === undefined
      ? {}
      : {
          fields: fields
            .split(",")
            .map((field) => field.trim())
            .filter(Boolean),
        }),
    ...(since === undefined && until === undefined ? {} : { time_range: range }),
    ...(record === undefined ? {} : { resources: record }),
  };
}
