import { cpus } from "node:os";
import { measureStarts } from "./starts.ts";

/** `npm run bench:start [RUNS]` */
const runs = Number(process.argv[2] ?? 15);
const { ours, bare } = await measureStarts(runs);

const at = (times: readonly number[], share: number) =>
  times.toSorted((a, b) => a - b)[Math.floor((times.length - 1) * share)]!;
const row = (name: string, times: readonly number[]) =>
  `${name.padEnd(12)} median ${at(times, 0.5).toFixed(0)} ms, least ${at(times, 0).toFixed(0)} ms`;
const ratio = (share: number) => (at(ours, share) / at(bare, share)).toFixed(2);

process.stdout.write(
  [
    `Start to an answered tools/list, ${runs} runs by turns, Node ${process.version}, ${cpus().length} x ${cpus()[0]?.model}`,
    row("pdpp mcp", ours),
    row("bare server", bare),
    `ratio        median ${ratio(0.5)}, least ${ratio(0)} (at most 1.5)`,
    "",
  ].join("\n"),
);
