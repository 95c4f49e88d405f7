import { type TaskKey, tasks } from "./tasks.ts";

/** What one task cost on one surface. */
export interface Figure {
  readonly surface: string;
  readonly task: string;
  readonly calls: number;
  readonly chars: number;
  readonly tokens: number;
  readonly ms: number;
  readonly right: boolean;
  readonly answer: string;
}

export const tokenizer = await import("gpt-tokenizer" as string).then(
  ({ countTokens }: { countTokens(text: string): number }) => ({ name: "gpt-tokenizer", countTokens }),
  () => ({ name: "characters / 4", countTokens: (text: string) => Math.ceil(text.length / 4) }),
);

/** Runs a task; its figure is made when all that was shown is known. A task that breaks off has a wrong answer. */
export async function measured(surface: string, key: TaskKey, run: () => Promise<string>) {
  const before = performance.now();
  const answer = await run().catch((error: Error) => `broken off: ${error.message.slice(0, 200)}`);
  const ms = performance.now() - before;
  return (shown: readonly string[]): Figure => ({
    surface,
    task: tasks[key].name,
    calls: shown.length,
    chars: shown.reduce((sum, { length }) => sum + length, 0),
    tokens: shown.reduce((sum, text) => sum + tokenizer.countTokens(text), 0),
    ms: Math.round(ms),
    right: answer === tasks[key].expected,
    answer,
  });
}

export function tableOf(figures: readonly Figure[]): string {
  const rows = [
    ["surface", "task", "calls", "characters", "tokens", "ms", "answer"],
    ...figures.map(({ surface, task, calls, chars, tokens, ms, right }) => [
      ...[surface, task, ...[calls, chars, tokens, ms].map((value) => value.toLocaleString("en"))],
      right ? "right" : "WRONG",
    ]),
  ];
  const widths = rows[0]!.map((_, column) => Math.max(...rows.map((cells) => cells[column]!.length)));
  const isNumber = (column: number) => column >= 2 && column <= 5;
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell, i) => (isNumber(i) ? cell.padStart(widths[i]!) : cell.padEnd(widths[i]!))).join(" | ")} |`;
  const rule = `|${widths.map((width, i) => (isNumber(i) ? `${"-".repeat(width + 1)}:` : "-".repeat(width + 2))).join("|")}|`;
  return [line(rows[0]!), rule, ...rows.slice(1).map(line)].join("\n");
}
