import { commandName } from "@pdpp/agent-setup/command-name";
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

export async function buildGrantRequest(owner: OwnerApi, flags: GrantFlags): Promise<GrantRequest> {
  const given = flagNames.filter((name) => flags[name] !== undefined);
  if (flags.file !== undefined) {
    if (given.length > 0)
      throw new UsageError(`--file and --${given[0]} cannot be combined; put it into the grant file`);
    return parseGrantRequest(await readJsonFile(flags.file));
  }
  const missing = (["client", "connection", "stream"] as const).filter((name) => flags[name] === undefined);
  if (missing.length > 0)
    throw new UsageError(
      `missing ${listFlags(missing)}; example: ${commandName} grant create --client "My agent" --connection notes-work --stream notes`,
    );
  const connections: ConnectionSummary[] = [];
  for (const id of flags.connection ?? []) connections.push(await owner.connections.get(id));
  return parseGrantRequest({
    client: { name: flags.client },
    ...(flags.expires === undefined ? {} : { expires_at: flags.expires }),
    ...(flags.purpose === undefined ? {} : { purpose: flags.purpose }),
    sources: await buildSources(owner, connections, flags),
  });
}

const listFlags = (names: readonly string[]): string =>
  new Intl.ListFormat("en-GB").format(names.map((name) => `--${name}`));

/** Builds one source per connector; each stream goes to the connectors that declare it. */
async function buildSources(owner: OwnerApi, connections: readonly ConnectionSummary[], flags: GrantFlags) {
  const declared = new Map((await owner.connectors.list()).map((connector) => [connector.connector_key, connector]));
  const streams = [...new Set(flags.stream)];
  const keys = [...new Set(connections.map(({ connector_key }) => connector_key))];
  const isDeclared = (key: string, name: string) => name === "*" || declared.get(key)?.streams.includes(name) === true;
  // With a single connector, issuing the grant reports an unknown stream together with the known ones.
  const selectStreams = (key: string) =>
    keys.length === 1 ? streams : streams.filter((name) => isDeclared(key, name));
  for (const name of streams) {
    if (keys.length > 1 && !keys.some((key) => isDeclared(key, name))) {
      throw new UsageError(
        `none of ${keys.join(", ")} has a stream ${JSON.stringify(name)}; list them with: ${commandName} connector show KEY`,
      );
    }
  }
  return keys.map((key) => {
    const names = selectStreams(key);
    if (names.length === 0)
      throw new UsageError(`connector ${key} has none of these streams; add one with --stream, or drop its connection`);
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
