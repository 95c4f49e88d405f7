import { listOwnerRows } from "../store/access/owners.ts";
import { countImports, type ImportCounts } from "../store/imports/count-imports.ts";
import { countRuns, countSources, type RunCount, type SourceCount } from "../store/sources/count-sources.ts";
import type { Store } from "../store/store.ts";
import { formatMetric, type Sample } from "./exposition.ts";

/** Figures about a vault without any name: how its sources and imports are doing, and how large it is. */

export interface VaultFigures {
  readonly sources: readonly SourceCount[];
  readonly runs: readonly RunCount[];
  readonly imports: ImportCounts;
  /** Missing for an owner who shares the vault. */
  readonly bytes?: number;
}

/** Only those of one owner, if it is given. */
export async function readVaultFigures(store: Store, ownerNo: number | undefined, now: number): Promise<VaultFigures> {
  const { isShared, ...counts } = await store.engine.read(async (on) => ({
    sources: await countSources(on, ownerNo, now),
    runs: await countRuns(on, ownerNo),
    imports: await countImports(on, ownerNo),
    isShared: ownerNo !== undefined && (await listOwnerRows(on)).length > 1,
  }));
  return { ...counts, ...(isShared ? {} : { bytes: await store.engine.size() }) };
}

const inSeconds = (ms: number): number => ms / 1000;

export function formatVaultFigures({ sources, runs, imports, bytes }: VaultFigures): string[] {
  const times = <T>(counted: readonly T[], get: (each: T) => number | null, name: (each: T) => Sample[0]): Sample[] =>
    counted.flatMap((each): Sample[] => {
      const at = get(each);
      return at === null ? [] : [[name(each), inSeconds(at)]];
    });
  return [
    ...formatMetric(
      "pdpp_sources",
      "gauge",
      "Sources by kind and state",
      sources.map(({ kind, state, count }) => [{ kind, state }, count]),
    ),
    ...formatMetric(
      "pdpp_sources_due",
      "gauge",
      "Sources whose next run should have started",
      sources.map(({ kind, state, due }) => [{ kind, state }, due]),
    ),
    ...formatMetric(
      "pdpp_source_oldest_success_timestamp_seconds",
      "gauge",
      "Time of the last success of the source that has had none for longest",
      times(
        sources,
        ({ oldestSuccessAt }) => oldestSuccessAt,
        ({ kind, state }) => ({ kind, state }),
      ),
    ),
    ...formatMetric(
      "pdpp_source_runs",
      "gauge",
      "Runs of sources that the vault still lists, by result",
      runs.map(({ kind, status, count }) => [{ kind, status }, count]),
    ),
    ...formatMetric(
      "pdpp_source_last_run_timestamp_seconds",
      "gauge",
      "Time of the newest run with this result",
      times(
        runs,
        ({ lastAt }) => lastAt,
        ({ kind, status }) => ({ kind, status }),
      ),
    ),
    ...formatMetric("pdpp_imports", "gauge", "Imports by state, without runs of sources", [
      [{ state: "finished" }, imports.finished],
      [{ state: "unfinished" }, imports.unfinished],
    ]),
    ...formatMetric(
      "pdpp_import_last_finished_timestamp_seconds",
      "gauge",
      "Time of the newest finished import",
      times(
        [imports],
        ({ lastFinishedAt }) => lastFinishedAt,
        () => ({}),
      ),
    ),
    ...(bytes === undefined
      ? []
      : formatMetric("pdpp_vault_bytes", "gauge", "Size of the vault's database", [[{}, bytes]])),
  ];
}
