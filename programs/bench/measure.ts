/** Times in milliseconds, and figures as rows of a table. */

export interface Figure {
  readonly what: string;
  readonly ours: number;
  /** The raw engine's figure, or page 1 for listings. */
  readonly raw?: number;
  readonly unit: "records/s" | "MB/s" | "ms" | "us" | "MB" | "kB" | "bytes" | "";
  /** The value compared with the limit: `ours / raw`, unless there is no raw figure. */
  readonly ratio?: number;
  readonly limit?: { readonly atLeast: number } | { readonly atMost: number };
  /** A difference to raw below this is never over the limit, even if the ratio is. */
  readonly allowance?: number;
}

export const calculateMedian = (values: readonly number[]): number => calculatePercentile(values, 50);

export function calculatePercentile(values: readonly number[], percent: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor((sorted.length * percent) / 100))]!;
}

export async function timeWork(work: () => unknown): Promise<number> {
  const before = performance.now();
  await work();
  return performance.now() - before;
}

/** Sums wall-clock and CPU time. Only CPU time is independent of the machine's other work. */
export class Stopwatch {
  ms = 0;
  cpuMs = 0;

  async run<T>(work: () => T | Promise<T>): Promise<T> {
    const [clock, cpu] = [performance.now(), process.cpuUsage()];
    const result = await work();
    const { user, system } = process.cpuUsage(cpu);
    this.ms += performance.now() - clock;
    this.cpuMs += (user + system) / 1000;
    return result;
  }
}

/**
 * Medians of several functions run in turn, so that a busy machine slows all of them alike. Each runs twice per turn and the second run is
 * timed, after the effects of the others on caches are gone.
 */
export async function measureMedians(rounds: number, ...works: readonly (() => unknown)[]): Promise<number[]> {
  const times: number[][] = works.map(() => []);
  for (let round = 0; round < rounds; round++) {
    for (const [i, work] of works.entries()) {
      await work();
      times[i]!.push(await timeWork(work));
    }
  }
  return times.map(calculateMedian);
}

/** `ours` compared with `raw`, as a ratio with a limit. */
export const compareWithRaw = (
  what: string,
  unit: Figure["unit"],
  ours: number,
  raw: number,
  limit?: Figure["limit"],
): Figure => ({ what, unit, ours, raw, ratio: ours / raw, ...(limit === undefined ? {} : { limit }) });

export function isOver({ ours, raw, ratio, limit, allowance = 0 }: Figure): boolean {
  if (limit === undefined) return false;
  if (raw !== undefined && allowance > 0 && ours - raw < allowance) return false;
  const held = ratio ?? ours;
  return "atLeast" in limit ? held < limit.atLeast : held > limit.atMost;
}

const formatValue = (value: number | undefined): string =>
  value === undefined
    ? ""
    : value.toLocaleString("en", { maximumFractionDigits: value >= 100 ? 0 : value >= 10 ? 1 : value >= 0.1 ? 2 : 3 });

function formatRow(figure: Figure): string[] {
  const { what, unit, ours, raw, ratio, limit } = figure;
  const bound =
    limit === undefined
      ? ""
      : "atLeast" in limit
        ? `>= ${formatValue(limit.atLeast)}`
        : `<= ${formatValue(limit.atMost)}`;
  const verdict = limit === undefined ? "" : isOver(figure) ? "over" : "ok";
  return [what, unit, formatValue(ours), formatValue(raw), formatValue(ratio), bound, verdict];
}

/** A table that is readable in a terminal and as Markdown. */
/** `names` are the titles of the columns `ours` and `raw`. Without raw figures that column and the ratio are left out. */
export function formatTable(figures: readonly Figure[], names: readonly [string, string] = ["ours", "raw"]): string {
  const hasRaw = figures.some(({ raw }) => raw !== undefined);
  const rows = [["what", "unit", ...names, "ratio", "limit", ""], ...figures.map(formatRow)].map((cells) =>
    hasRaw ? cells : cells.toSpliced(3, 2),
  );
  const widths = rows[0]!.map((_, column) => Math.max(...rows.map((cells) => cells[column]!.length)));
  const isNumeric = (column: number) => column >= 2 && column <= (hasRaw ? 4 : 2);
  const formatLine = (cells: readonly string[]) =>
    `| ${cells.map((cell, i) => (isNumeric(i) ? cell.padStart(widths[i]!) : cell.padEnd(widths[i]!))).join(" | ")} |`;
  const rule = `|${widths.map((width, i) => (isNumeric(i) ? `${"-".repeat(width + 1)}:` : "-".repeat(width + 2))).join("|")}|`;
  return [formatLine(rows[0]!), rule, ...rows.slice(1).map(formatLine)].join("\n");
}
