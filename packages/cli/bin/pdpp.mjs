#!/usr/bin/env node
// Runs on any Node version that npm supports, so this file must avoid newer syntax. The sources need Node 24; an older Node
// starts them with the one pinned in the repository.
import { spawn } from "node:child_process";
import module, { createRequire } from "node:module";
import { fileURLToPath } from "node:url";
import { getMemoryFlags, restartWithMemoryFlags } from "./memory-flags.mjs";

const oldest = 24;
const marker = "PDPP_STARTED_BY_OLDER_NODE";

stopWithNpm();

if (Number(process.versions.node.split(".")[0]) >= oldest) {
  followParent();
  restartWithMemoryFlags();
  // Caching compiled sources halves the time of short commands and saves 18 MB per thread.
  const cache = fileURLToPath(new URL("../../../node_modules/.cache/pdpp", import.meta.url));
  module.enableCompileCache(cache);
  process.env.NODE_COMPILE_CACHE ||= cache;
  import("../src/main.ts").then((cli) => cli.main(process.argv.slice(2)));
} else {
  const node = process.env[marker] ? undefined : findPinnedNode();
  if (node) runWith(node);
  else {
    console.error(
      `error: pdpp needs Node ${oldest} or newer, this is ${process.version}; run npm install in the repository, or install a newer Node`,
    );
    process.exitCode = 1;
  }
}

/** `npm start` ended by SIGTERM kills only the shell between npm and us, so watch for that shell to disappear. */
function stopWithNpm() {
  if (!process.env.npm_lifecycle_event || process.env[marker]) return;
  const shell = process.ppid;
  const timer = setInterval(() => {
    if (process.ppid === shell) return;
    clearInterval(timer);
    process.kill(process.pid, "SIGTERM");
  }, 500);
  timer.unref();
}

/** Finds the Node of the platform's optional package, which the lockfile pins. */
function findPinnedNode() {
  const require = createRequire(import.meta.url);
  const system = process.platform === "win32" ? "win" : process.platform;
  for (const prefix of ["node", "node-bin"]) {
    try {
      const name = `${prefix}-${system}-${process.arch}`;
      return require.resolve(`${name}/bin/node${system === "win" ? ".exe" : ""}`);
    } catch {
      // Try the other prefix.
    }
  }
  return undefined;
}

function runWith(node) {
  const child = spawn(node, getMemoryFlags().concat(process.argv.slice(1)), {
    stdio: ["inherit", "inherit", "inherit", "ipc"],
    env: Object.assign({}, process.env, { [marker]: "1" }),
  });
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(signal, () => child.kill(signal));
  child.on("error", (error) => {
    console.error(`error: cannot start ${node}: ${error.message}; run npm install in the repository`);
    process.exit(1);
  });
  child.on("exit", (code, signal) => {
    if (signal === null) process.exit(code);
    process.removeAllListeners(signal);
    process.kill(process.pid, signal);
  });
}

/** Exits with the older Node that started us, even if it was killed by a signal it could not forward. */
function followParent() {
  if (!process.env[marker]) return;
  delete process.env[marker];
  if (!process.channel) return;
  process.on("disconnect", () => process.kill(process.pid, "SIGKILL"));
  process.channel.unref();
}
