// The embedded program of the single executable, which can load nothing but built-in modules by itself. The product is in an archive next to
// it, unpacked once, so that modules, threads and processes load as in the installed package.
import { join } from "node:path";
import { getAsset, getRawAsset } from "node:sea";
import { pathToFileURL } from "node:url";
import vm from "node:vm";
import { moduleMarker } from "@pdpp/threads/node-arguments";
import { parseIndex } from "../src/executable/archive.ts";
import { assetNames } from "../src/executable/assets.ts";
import { describeUnpackFailure, unpackProgram } from "../src/executable/unpack.ts";
import { findCacheFolder } from "./cache-folder.mjs";

if (process.argv[2] === moduleMarker) {
  process.argv.splice(1, 2);
  importFile(process.argv[1]);
} else start();

function start() {
  const index = parseIndex(getAsset(assetNames.index, "utf8"));
  const folder = join(findCacheFolder(), "pdpp", "programs");
  try {
    const program = unpackProgram(folder, index, () => Buffer.from(getRawAsset(assetNames.archive)));
    importFile(join(program, "pdpp.mjs"));
  } catch (error) {
    process.stderr.write(`${describeUnpackFailure(error, folder)}\n`);
    process.exitCode = 1;
  }
}

/** An `import()` in the embedded program finds built-in modules only. */
function importFile(file) {
  const script = new vm.Script("(url) => import(url)", {
    importModuleDynamically: vm.constants.USE_MAIN_CONTEXT_DEFAULT_LOADER,
  });
  script.runInThisContext()(pathToFileURL(file).href);
}
