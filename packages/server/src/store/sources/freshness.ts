import type { JsonObject } from "@pdpp/contract/declaration";
import type { ReadTransaction } from "../engine/engine.ts";
import { parseStoredJson } from "../engine/json.ts";
import { aliasColumns, join, raw, type Sql, sql } from "../engine/sql.ts";
import { runFormat } from "../imports/imports.ts";
import { getMaxStaleness } from "./schedule.ts";

/** How recent the data of a connection is, from the runs of its sources or, without a source, from its imports. */
export interface Freshness {
  readonly status: "current" | "stale" | "unknown";
  /** The last time it was complete, as far as this server knows: the last successful run, or when the newest export was made. */
  readonly capturedAt: number | null;
  readonly attemptedAt: number | null;
}

export const unknownFreshness: Freshness = { status: "unknown", capturedAt: null, attemptedAt: null };

interface SourceRow {
  readonly connectionNo: number;
  readonly settings: string;
  readonly lastSuccessAt: number | null;
  readonly failures: number;
  readonly attemptedAt: number | null;
}

const sourceColumns = aliasColumns("connection_no, settings, last_success_at, failures");

/** The freshness of connections that have a source or an import, by number. */
export async function loadFreshness(
  on: ReadTransaction,
  ownerNo: number,
  connections: readonly { readonly no: number; readonly manifest: JsonObject | undefined }[],
  now: number,
): Promise<Map<number, Freshness>> {
  if (connections.length === 0) return new Map();
  const manifests = new Map(connections.map(({ no, manifest }) => [no, manifest]));
  const sources = await on.all<SourceRow>(sql`SELECT ${sourceColumns},
    (SELECT max(started_at) FROM source_run AS r WHERE r.owner_no = source.owner_no AND r.source_id = source.source_id) AS ${attempted}
    FROM source WHERE owner_no = ${ownerNo} AND ${matchNumbers([...manifests.keys()])}`);
  const found = new Map(
    [...Map.groupBy(sources, ({ connectionNo }) => connectionNo)].map(([no, rows]) => [
      no,
      combineFreshness(rows.map((row) => judgeSource(row, manifests.get(no), now))),
    ]),
  );
  const others = [...manifests.keys()].filter((no) => !found.has(no));
  if (others.length === 0) return found;
  const imports = await on.all<{
    no: number;
    at: number;
  }>(sql`SELECT connection_no AS no, max(exported_at) AS at FROM import_part
    WHERE owner_no = ${ownerNo} AND ${matchNumbers(others)} AND format <> ${runFormat} AND finished_at IS NOT NULL GROUP BY connection_no`);
  for (const { no, at } of imports) found.set(no, { status: "unknown", capturedAt: at, attemptedAt: null });
  return found;
}

const attempted = raw('"attemptedAt"');

const matchNumbers = (numbers: readonly number[]): Sql =>
  sql`connection_no IN (${join(
    numbers.map((no) => sql`${no}`),
    ", ",
  )})`;

function judgeSource(row: SourceRow, manifest: JsonObject | undefined, now: number): Freshness {
  const { lastSuccessAt: capturedAt, attemptedAt, failures } = row;
  const longest = getMaxStaleness(parseStoredJson<JsonObject>(row.settings), manifest);
  const isLate = capturedAt === null || (longest !== null && now - capturedAt > longest);
  return {
    status: isLate || failures > 0 ? "stale" : longest === null ? "unknown" : "current",
    capturedAt,
    attemptedAt,
  };
}

/** Of several sources or connections: as fresh as the oldest of them. */
export function combineFreshness(all: readonly Freshness[]): Freshness {
  const statuses = new Set(all.map(({ status }) => status));
  const captured = all.map(({ capturedAt }) => capturedAt);
  const attempts = all.flatMap(({ attemptedAt }) => attemptedAt ?? []);
  return {
    status: statuses.has("stale") ? "stale" : statuses.size === 1 && statuses.has("current") ? "current" : "unknown",
    capturedAt: captured.length === 0 || captured.includes(null) ? null : Math.min(...captured.map(Number)),
    attemptedAt: attempts.length === 0 ? null : Math.max(...attempts),
  };
}
