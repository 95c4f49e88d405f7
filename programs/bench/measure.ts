/** Times in milliseconds, and figures as lines of a table. */

export interface Figure {
  readonly what: string;
  readonly ours: number;
  /** The raw engine's figure, or for listings page 1. */
  readonly raw?: number;
  readonly unit: "records/s" | "MB/s" | "ms" | "us" | "MB" | "kB";
  /** What is held against the limit; `ours / raw` unless there is no raw. */
  readonly ratio?: number;
  readonly limit?: { readonly atLeast: number } | { readonly atMost: number };
  /** So much above raw is not over the limit, whatever the ratio. */
  readonly allowance?: number;
}

export const median = (values: readonly number[]): number => percentile(values, 50);

export function percentile(values: readonly number[], percent: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor((sorted.length * percent) / 100))]!;
}

export async function timed(work: () => unknown): Promise<number> {
  const before = performance.now();
  await work();
  return performance.now() - before;
}

/** Adds up time on the clock and on the processor; of the two only the second does not care what else the machine does. */
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
 * Medians of works run in turns, so that a busy machine slows all of them alike. Each runs twice in its turn and is timed the
 * second time, when what the others left behind is gone.
 */
export async function medians(rounds: number, ...works: readonly (() => unknown)[]): Promise<number[]> {
  const times: number[][] = works.map(() => []);
  for (let round = 0; round < rounds; round++) {
    for (const [i, work] of works.entries()) {
      await work();
      times[i]!.push(await timed(work));
    }
  }
  return times.map(median);
}

/** `ours` against `raw`, as a ratio with a limit. */
export const compared = (
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

const shown = (value: number | undefined): string =>
  value === undefined
    ? ""
    : value.toLocaleString("en", { maximumFractionDigits: value >= 100 ? 0 : value >= 10 ? 1 : value >= 0.1 ? 2 : 3 });

function row(figure: Figure): string[] {
  const { what, unit, ours, raw, ratio, limit } = figure;
  const bound =
    limit === undefined ? "" : "atLeast" in limit ? `>= ${shown(limit.atLeast)}` : `<= ${shown(limit.atMost)}`;
  const verdict = limit === undefined ? "" : isOver(figure) ? "over" : "ok";
  return [what, unit, shown(ours), shown(raw), shown(ratio), bound, verdict];
}

/** A table that reads well in a terminal and in Markdown. */
export function tableOf(figures: readonly Figure[]): string {
  const rows = [["what", "unit", "ours", "raw", "ratio", "limit", ""], ...figures.map(row)];
  const widths = rows[0]!.map((_, column) => Math.max(...rows.map((cells) => cells[column]!.length)));
  const numeric = (column: number) => column >= 2 && column <= 4;
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell, i) => (numeric(i) ? cell.padStart(widths[i]!) : cell.padEnd(widths[i]!))).join(" | ")} |`;
  const rule = `|${widths.map((width, i) => (numeric(i) ? `${"-".repeat(width + 1)}:` : "-".repeat(width + 2))).join("|")}|`;
  return [line(rows[0]!), rule, ...rows.slice(1).map(line)].join("\n");
}
