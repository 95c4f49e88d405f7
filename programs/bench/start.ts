import { cpus } from "node:os";
import { measureStarts } from "./starts.ts";

/** `npm run bench:start [RUNS]` */
const runs = Number(process.argv[2] ?? 15);
const { ours, bare } = await measureStarts(runs);

const getPercentile = (times: readonly number[], share: number) =>
  times.toSorted((a, b) => a - b)[Math.floor((times.length - 1) * share)]!;
const formatRow = (name: string, times: readonly number[]) =>
  `${name.padEnd(12)} median ${getPercentile(times, 0.5).toFixed(0)} ms, minimum ${getPercentile(times, 0).toFixed(0)} ms`;
const formatRatio = (share: number) => (getPercentile(ours, share) / getPercentile(bare, share)).toFixed(2);

process.stdout.write(
  [
    `From start to the tools/list response, ${runs} alternating runs, Node ${process.version}, ${cpus().length} x ${cpus()[0]?.model}`,
    formatRow("pdpp mcp", ours),
    formatRow("bare server", bare),
    `ratio        median ${formatRatio(0.5)}, minimum ${formatRatio(0)} (limit 1.5)`,
    "",
  ].join("\n"),
);
