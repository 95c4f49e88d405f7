import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { cleanEnvironment, pdppFile } from "@pdpp/test-support/cli/run-pdpp";
import { expect, it } from "vitest";

const flagsFile = join(pdppFile, "../memory-flags.mjs");
const program = `import(${JSON.stringify(flagsFile)}).then(({ getMemoryFlags }) => console.log(getMemoryFlags().join(" ")));`;

const readFlags = (command: string, nodeOptions?: string): string =>
  spawnSync(process.execPath, ["-e", program, "pdpp", command], {
    encoding: "utf8",
    env: cleanEnvironment(nodeOptions === undefined ? {} : { NODE_OPTIONS: nodeOptions }),
  }).stdout.trim();

it("[FAIR-7] limits the garbage that servers and imports keep, unless the user did", () => {
  expect(readFlags("serve")).toBe(
    "--max-semi-space-size=4 --heap-growing-percent=100 --expose-gc --disable-warning=ExperimentalWarning",
  );
  expect(readFlags("import")).toBe("--max-old-space-size=1024 --max-semi-space-size=4");
  expect(readFlags("schema")).toBe("");
  expect(readFlags("serve", "--max-old-space-size=300")).toBe("");
});
