import type { ImportDocument } from "@pdpp/contract/imports";
import { parseInstant } from "@pdpp/contract/instant";
import type { OwnerApi } from "@pdpp/contract/owner";
import type { SourceDocument } from "@pdpp/contract/sources";
import { describeSourceStatus, type SourceStatus } from "@pdpp/evidence/text/source-status";
import type { Names } from "../frame/names.ts";
import { getFolderPath } from "./folder-facts.tsx";

/** A source that is collected. */
export interface LiveSource {
  readonly source: SourceDocument;
  readonly label: string;
  readonly status: SourceStatus;
  /** Of its connection. */
  readonly records: number;
  readonly kind: string;
}

/** A source that was imported, or filled by a program. */
export interface StoredSource {
  readonly id: string;
  readonly label: string;
  readonly kind: string;
  readonly records: number;
  /** When its newest export was made. */
  readonly exportedAt: number | undefined;
}

export interface AllSources {
  readonly live: readonly LiveSource[];
  readonly stored: readonly StoredSource[];
}

/** A run that this server has started but not yet recorded counts as well. */
export const asRunning = (source: SourceDocument, isRunning: boolean): SourceDocument =>
  isRunning ? { ...source, status: "running" } : source;

/** The connections that a source fills. A folder has those that its last run found files for. */
const listFilled = ({ connection_id, last_run }: SourceDocument): string[] =>
  connection_id === undefined ? (last_run?.imported ?? []).map((each) => each.connection_id) : [connection_id];

/** Those that need the owner first, then by name. */
export async function loadSources(
  owner: OwnerApi,
  names: Names,
  now: number,
  isRunning: (sourceId: string) => boolean = () => false,
): Promise<AllSources> {
  const [connections, { time_zone: zone }] = [await owner.connections.list(), await owner.self()];
  const byId = new Map(connections.map((connection) => [connection.connection_id, connection]));
  const live = (await owner.sources.list()).map((stored): LiveSource => {
    const source = asRunning(stored, isRunning(stored.source_id));
    const filled = listFilled(source).flatMap((id) => byId.get(id) ?? []);
    const kinds = filled.map(({ connector_key }) => names.connector(connector_key)).join(", ");
    return {
      source,
      label: nameSource(source, names),
      status: describeSourceStatus(source, now, zone),
      records: filled.reduce((sum, { record_count }) => sum + record_count, 0),
      kind: source.kind === "folder" ? `Watched folder${kinds === "" ? "" : `: ${kinds}`}` : kinds || source.kind,
    };
  });
  const collected = new Set(live.flatMap(({ source }) => listFilled(source)));
  const exported = findLastExports(await owner.imports.list());
  const stored = names.sources
    .filter(({ id, isDerived }) => !isDerived && !collected.has(id))
    .flatMap(({ id, label }) => {
      const connection = byId.get(id);
      if (connection === undefined) return [];
      const { connector_key, record_count: records } = connection;
      return [{ id, label, kind: names.connector(connector_key), records, exportedAt: exported.get(id) }];
    });
  return { live: live.sort((a, b) => weigh(a) - weigh(b) || a.label.localeCompare(b.label)), stored };
}

export function nameSource(source: SourceDocument, names: Names): string {
  const folder = getFolderPath(source)?.split(/[\\/]/).at(-1);
  return folder || names.source(source.connection_id ?? source.source_id);
}

const weights: Readonly<Partial<Record<SourceStatus["state"], number>>> = { needs_owner: 0, failing: 1, late: 2 };
const weigh = ({ status }: LiveSource): number => weights[status.state] ?? 3;

export const isTroubled = ({ state }: SourceStatus): boolean => state in weights;

function findLastExports(imports: readonly ImportDocument[]): Map<string, number> {
  const found = new Map<string, number>();
  for (const { parts } of imports)
    for (const { connection_id: id, exported_at } of parts)
      found.set(id, Math.max(found.get(id) ?? 0, parseInstant(exported_at) ?? 0));
  return found;
}
