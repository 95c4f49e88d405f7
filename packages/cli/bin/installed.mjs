#!/usr/bin/env node
// The program of the installed package. Any version of Node must be able to parse this file.
import module from "node:module";
import { join } from "node:path";
import { findCacheFolder } from "./cache-folder.mjs";
import { restartWithMemoryFlags } from "./memory-flags.mjs";

const oldest = 24;

if (Number(process.versions.node.split(".")[0]) < oldest) {
  console.error(`error: pdpp needs Node ${oldest} or newer, this is ${process.version}; install a newer Node`);
  process.exitCode = 1;
} else {
  restartWithMemoryFlags();
  // Slower, but the stack of an internal error then names our sources.
  if (process.env.PDPP_DEBUG === "1") module.setSourceMapsSupport(true, { nodeModules: true });
  // The folder of a global installation is often not writable, so the cache is the user's.
  const cache = process.env.NODE_COMPILE_CACHE || join(findCacheFolder(), "pdpp");
  // The command that removes the cache must not fill it again.
  if (!process.argv.includes("uninstall")) module.enableCompileCache(cache);
  process.env.NODE_COMPILE_CACHE = cache;
  import("../src/main.ts").then((cli) => cli.main(process.argv.slice(2)));
}
