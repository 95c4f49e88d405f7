import { join } from "node:path";
import { cleanEnvironment, pdppFile } from "@pdpp/test-support/cli/run-pdpp";
import { canMeasureTrees, measureTree } from "@pdpp/test-support/processes/tree-memory";
import { writeHostileFiles } from "../../../tests/importers/archives/hostile-files.ts";
import type { Attack } from "../attack.ts";

/** All processes of an import together: its own, and one each for mails, documents and databases. */
const allowedMb = 1000;

/** Imports documents and databases that unpack to gigabytes, and measures the memory of all processes. */
export const hostileImports: Attack = {
  name: "filling memory with hostile documents and databases in an export",
  engines: ["sqlite"],
  async run({ dataDir }) {
    if (!canMeasureTrees) return { held: "not tried", figure: "memory of processes can only be measured on Linux" };
    const files = join(dataDir, "files");
    writeHostileFiles(files);
    const args = [pdppFile, "import", files, "--yes", "--data-dir", join(dataDir, "vault")];
    const { code, output, peakMb } = await measureTree(args, cleanEnvironment());
    const areAllImported = code === 0 && output.includes("messages: 5 new");
    const figure = `peak ${peakMb.toFixed(0)} MB in all processes, exit code ${code}, ${areAllImported ? "all" : "not all"} mails imported`;
    return { held: areAllImported && peakMb < allowedMb, figure };
  },
};
