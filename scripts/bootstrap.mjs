// Runs on any version of Node: installs the packages, including the pinned Node, if they are missing or older than the lockfile. Uses `npm
// install` rather than `npm ci` because a lockfile may lack other platforms' optional packages.
import { spawnSync } from "node:child_process";
import { existsSync, statSync } from "node:fs";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));
const installed = `${root}node_modules/.package-lock.json`;
const lockfile = `${root}package-lock.json`;

const upToDate = existsSync(installed) && statSync(installed).mtimeMs >= statSync(lockfile).mtimeMs;
if (!upToDate) {
  console.error("Installing packages (once, about half a minute) ...");
  const args = ["install", "--no-audit", "--no-fund", "--no-save", "--loglevel=error"];
  const npm = process.platform === "win32" ? "npm.cmd" : "npm";
  const { status } = spawnSync(npm, args, {
    cwd: root,
    stdio: ["ignore", "ignore", "inherit"],
    shell: process.platform === "win32",
  });
  if (status !== 0) {
    console.error("The installation failed. Run `npm install` to see why, then try again.");
    process.exit(status ?? 1);
  }
}
