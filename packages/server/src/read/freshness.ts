import { formatInstant } from "@pdpp/contract/instant";
import type { Warning, Freshness as WireFreshness } from "@pdpp/contract/wire";
import type { ScopedConnection, StreamScope } from "../store/access/scope.ts";
import type { ReadTransaction } from "../store/engine/engine.ts";
import { combineFreshness, type Freshness, loadFreshness, unknownFreshness } from "../store/sources/freshness.ts";
import type { ReadContext } from "./context.ts";

/** How recent the granted sources are, by the number of their connection. */
export type FreshnessByConnection = ReadonlyMap<number, Freshness>;

export async function loadScopeFreshness(
  on: ReadTransaction,
  { scope, store, now }: ReadContext,
  streams: readonly StreamScope[],
): Promise<FreshnessByConnection> {
  const { connectors } = await store.catalog();
  const connections = streams.flatMap(({ connectorKey, connections: mine }) =>
    mine.map(({ no }) => ({ no, manifest: connectors.get(connectorKey)?.declaration.manifest })),
  );
  return loadFreshness(on, scope.ownerNo, connections, now());
}

const formatTime = (at: number | null): string | null => (at === null ? null : formatInstant(at));

/** A source that was neither collected nor imported has a status only. */
export function describeFreshness({ status, capturedAt, attemptedAt }: Freshness = unknownFreshness): WireFreshness {
  return {
    status,
    ...(status === "unknown" && capturedAt === null ? {} : { captured_at: formatTime(capturedAt) }),
    ...(attemptedAt === null ? {} : { last_attempted_at: formatTime(attemptedAt) }),
  };
}

export const describeStreamFreshness = (all: FreshnessByConnection, { connections }: StreamScope): WireFreshness =>
  describeFreshness(combineFreshness(connections.map(({ no }) => all.get(no) ?? unknownFreshness)));

const day = 86_400_000;
/** An export of this age may well lack what somebody looks for. */
const oldExport = 30 * day;
const maxNamed = 3;

/** Says which sources may lack newer records, for a search that found nothing; none if all are current. */
export function warnOfStaleSources(
  all: FreshnessByConnection,
  streams: readonly StreamScope[],
  now: number,
): Warning[] {
  const connections = new Map(streams.flatMap(({ connections: mine }) => mine.map((each) => [each.no, each] as const)));
  const stale = [...connections.values()].flatMap((connection) => {
    const freshness = all.get(connection.no);
    return freshness === undefined || !mayLackRecords(freshness, now) ? [] : [formatStale(connection, freshness)];
  });
  if (stale.length === 0) return [];
  const more = stale.length > maxNamed ? `; ${stale.length - maxNamed} more sources are out of date` : "";
  const message = `newer records may be missing: ${stale.slice(0, maxNamed).join("; ")}${more}`;
  return [{ code: "sources_not_current", message }];
}

const mayLackRecords = ({ status, capturedAt, attemptedAt }: Freshness, now: number): boolean =>
  status === "stale" || (attemptedAt === null && capturedAt !== null && now - capturedAt > oldExport);

function formatStale({ id, label }: ScopedConnection, { capturedAt, attemptedAt }: Freshness): string {
  const name = label === undefined ? id : `${id} ${JSON.stringify(label)}`;
  if (capturedAt === null) return `${name} has never been collected completely`;
  const date = formatInstant(capturedAt).slice(0, 10);
  return attemptedAt === null ? `${name} is from an export of ${date}` : `${name} was last collected on ${date}`;
}
