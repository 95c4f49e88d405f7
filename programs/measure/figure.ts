import { createHash } from "node:crypto";
import { type TaskKey, tasks } from "../../tests/mcp/hosts/tasks.ts";
import { type Column, count, formatTable } from "./table.ts";

/** The cost of one task on one surface. */
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

/** A fixed text that looks like an opaque value. */
const opaque = createHash("sha512").update("opaque").digest("base64url").repeat(4);

/** Replaces cursors, nonces, request ids and ports by fixed text, because their token counts vary from run to run. */
const maskOpaqueValues = (shown: string): string =>
  shown
    .replaceAll(/[\w-]{38,}|(?<=\breq_)[\w-]{16}/g, ({ length }) => opaque.slice(0, length))
    .replaceAll(/\b[0-9a-f]{12,16}\b/g, ({ length }) => "0f1e2d3c4b5a6978".slice(0, length))
    .replaceAll(/(?<=127\.0\.0\.1:)\d+/g, "40000");

/** The tokens of a text as a model is shown it, with opaque values masked. */
export const countTokens = (shown: string): number => tokenizer.countTokens(maskOpaqueValues(shown));

/** Runs a task. The figure is computed once everything shown is known; a task that throws counts as a wrong answer. */
export async function measureTask(surface: string, key: TaskKey, run: () => Promise<string>) {
  const before = performance.now();
  const answer = await run().catch((error: Error) => `broken off: ${error.message.slice(0, 200)}`);
  const ms = performance.now() - before;
  return (shown: readonly string[]): Figure => ({
    surface,
    task: tasks[key].name,
    calls: shown.length,
    chars: shown.reduce((sum, { length }) => sum + length, 0),
    tokens: shown.reduce((sum, text) => sum + countTokens(text), 0),
    ms: Math.round(ms),
    right: answer === tasks[key].expected,
    answer,
  });
}

const columns: readonly Column<Figure>[] = [
  { head: "surface", cell: ({ surface }) => surface },
  { head: "task", cell: ({ task }) => task },
  { head: "calls", cell: ({ calls }) => count(calls), number: true },
  { head: "characters", cell: ({ chars }) => count(chars), number: true },
  { head: "tokens", cell: ({ tokens }) => count(tokens), number: true },
  { head: "ms", cell: ({ ms }) => count(ms), number: true },
  { head: "answer", cell: ({ right }) => (right ? "right" : "WRONG") },
];

export const formatFigures = (figures: readonly Figure[]): string => formatTable(columns, figures);
