#!/usr/bin/env node
// Runs on whatever Node the machine has. The sources need Node 24; an older one starts them with the Node pinned in the
// repository. So nothing in this file may be newer than the oldest Node that npm itself runs on.
import { spawn } from "node:child_process";
import module, { createRequire } from "node:module";
import { fileURLToPath } from "node:url";

const oldest = 24;
const marker = "PDPP_STARTED_BY_OLDER_NODE";

if (Number(process.versions.node.split(".")[0]) >= oldest) {
  followParent();
  startLean();
  // Sources are stripped and compiled once, not at every start: that is half of a short command's time, and in each thread 18 MB.
  const cache = fileURLToPath(new URL("../../../node_modules/.cache/pdpp", import.meta.url));
  module.enableCompileCache(cache);
  process.env.NODE_COMPILE_CACHE ||= cache;
  import("../src/main.ts").then((cli) => cli.main(process.argv.slice(2)));
} else {
  const node = process.env[marker] ? undefined : pinnedNode();
  if (node) runWith(node);
  else {
    console.error(
      `error: pdpp needs Node ${oldest} or newer, this is ${process.version}; run npm install in the repository, or install a newer Node`,
    );
    process.exitCode = 1;
  }
}

/**
 * Node lets garbage pile up to three times of what is in use, and can be told otherwise only when it starts. An import makes so much of
 * it that this is most of its memory.
 */
function leanFlags() {
  const isTold = /max-old-space-size|max-semi-space-size/.test(`${process.execArgv} ${process.env.NODE_OPTIONS}`);
  return process.argv.includes("import") && !isTold ? ["--max-old-space-size=1024", "--max-semi-space-size=4"] : [];
}

/** The same process begins anew; where that is not possible, it goes on with more memory. */
function startLean() {
  const flags = leanFlags();
  if (flags.length === 0 || !process.execve || process.channel) return;
  const args = process.execArgv.concat(flags, process.argv.slice(1));
  process.execve(process.execPath, [process.execPath].concat(args), process.env);
}

/** One package for each platform, whose bytes the lockfile pins. */
function pinnedNode() {
  const require = createRequire(import.meta.url);
  const system = process.platform === "win32" ? "win" : process.platform;
  for (const prefix of ["node", "node-bin"]) {
    try {
      const name = `${prefix}-${system}-${process.arch}`;
      return require.resolve(`${name}/bin/node${system === "win" ? ".exe" : ""}`);
    } catch {
      // The other spelling, or none.
    }
  }
  return undefined;
}

function runWith(node) {
  const child = spawn(node, leanFlags().concat(process.argv.slice(1)), {
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

/** The older Node's death must be this process's death, even by a signal that nobody can pass on. */
function followParent() {
  if (!process.env[marker]) return;
  delete process.env[marker];
  if (!process.channel) return;
  process.on("disconnect", () => process.kill(process.pid, "SIGKILL"));
  process.channel.unref();
}
