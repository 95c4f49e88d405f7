import { cpus, loadavg } from "node:os";
import { parseArgs } from "node:util";
import { buildExecutable, installPackage } from "@pdpp/test-support/package/installed-package";
import { compareStarts, measureStarts, type StartRatio } from "./starts.ts";

/** `npm run bench:start [-- --runs N] [-- --executable]` packs pdpp and measures how fast it starts. */

const { runs = "15", executable } = parseArgs({
  options: { runs: { type: "string" }, executable: { type: "boolean" } },
}).values;
const installed = executable ? buildExecutable() : installPackage();
try {
  const measured = await measureStarts(installed, Number(runs));
  const format = ({ name, ms, ratio, limit }: StartRatio): string => {
    const base = name === "pdpp mcp" ? "bare server" : "node";
    const against = limit === undefined ? "" : `  limit ${limit.toFixed(1)}${ratio <= limit ? "" : "  TOO SLOW"}`;
    return `${name.padEnd(18)}${ms.toFixed(0).padStart(6)} ms ${ratio.toFixed(2).padStart(7)} x ${base.padEnd(12)}${against}`;
  };
  process.stdout.write(
    [
      `CPU time of ${executable ? "the single executable" : "the package"}, mean of ${runs} runs in turn, Node ${process.version}, ${cpus().length} x ${cpus()[0]?.model}, load ${loadavg()[0]?.toFixed(1)}`,
      ...compareStarts(measured).map(format),
      "",
    ].join("\n"),
  );
} finally {
  installed.remove();
}
