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
  // Sources are stripped and compiled once, not at every start: that is half of a short command's time.
  module.enableCompileCache(fileURLToPath(new URL("../../../node_modules/.cache/pdpp", import.meta.url)));
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
  const child = spawn(node, process.argv.slice(1), {
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
