import { execFile, spawn } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, rmSync } from "node:fs";
import { dirname } from "node:path";
import { PdppError } from "@pdpp/contract/errors";
import { getErrorCode } from "@pdpp/server/system-error";
import { sync as writeFileAtomic } from "write-file-atomic";
import { marker, type ServiceFile, type ServiceManager, type ServiceUnit, type Step } from "./definition.ts";

export interface Answer {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

export function listUnits({ server, backup }: ServiceManager, hasBackup: boolean): ServiceUnit[] {
  return hasBackup ? [server, backup] : [server];
}

/** Units whose files are on this machine. */
export const findInstalledUnits = ({ server, backup }: ServiceManager): ServiceUnit[] =>
  [server, backup].filter(({ paths }) => paths.some((path) => existsSync(path)));

/** Files of the service on this machine that pdpp wrote. */
export const listServicePaths = ({ server, backup, sharedPaths }: ServiceManager): string[] =>
  [...server.paths, ...backup.paths, ...sharedPaths].filter((path) => existsSync(path));

/**
 * Writes the files and starts the service. Removes the daily backup of an earlier installation unless this one has it too. A first installation
 * that fails leaves nothing behind, since what cannot be started cannot be removed by the same means either.
 */
export async function installService(manager: ServiceManager, files: readonly ServiceFile[]): Promise<void> {
  for (const { path } of files) requireOwnFile(path);
  const isFirst = findInstalledUnits(manager).length === 0;
  const written = new Set(files.map(({ path }) => path));
  const stale = findInstalledUnits(manager).filter(({ paths }) => !paths.some((path) => written.has(path)));
  if (stale.length > 0) await removeUnits(manager, stale);
  for (const { path, content, encoding, mode } of files) {
    mkdirSync(dirname(path), { recursive: true });
    writeFileAtomic(path, Buffer.from(content, encoding), { mode });
  }
  const units = [manager.server, manager.backup].filter(({ paths }) => paths.some((path) => written.has(path)));
  try {
    for (const step of manager.start(units)) await runStep(step, installAdvice);
  } catch (error) {
    if (isFirst) await undoInstallation(manager, units, written);
    throw error;
  }
}

async function undoInstallation(
  manager: ServiceManager,
  units: readonly ServiceUnit[],
  written: ReadonlySet<string>,
): Promise<void> {
  for (const step of manager.stop(units)) await tryStep(step);
  for (const path of written) rmSync(path, { force: true });
  for (const step of manager.forget) await tryStep(step);
}

const tryStep = (step: Step): Promise<unknown> => askSystem(step).catch(() => undefined);

/** Stops the service and removes its files. Returns the removed paths. */
export async function removeService(manager: ServiceManager): Promise<string[]> {
  const paths = listServicePaths(manager);
  for (const path of [...manager.server.paths, ...manager.backup.paths]) requireOwnFile(path);
  await removeUnits(manager, findInstalledUnits(manager));
  for (const path of manager.sharedPaths) rmSync(path, { force: true });
  return paths;
}

async function removeUnits(manager: ServiceManager, units: readonly ServiceUnit[]): Promise<void> {
  if (units.length === 0) return;
  const paths = units.flatMap((unit) => unit.paths);
  const advice = `run this command yourself, then delete ${paths.filter((path) => existsSync(path)).join(", ")}`;
  for (const step of manager.stop(units)) await runStep(step, advice);
  for (const path of paths) rmSync(path, { force: true });
  for (const step of manager.forget) await runStep(step, "run this command yourself");
}

function requireOwnFile(path: string): void {
  if (!existsSync(path)) return;
  const text = readFileSync(path);
  if (text.includes(marker) || text.includes(Buffer.from(marker, "utf16le"))) return;
  throw new PdppError("invalid_request", `${path} was not written by pdpp service install, so it was not changed`, {
    next_step: "move it away and try again",
  });
}

/** Runs a program of the operating system; its exit code is part of the answer. */
export function askSystem({ command, args }: Step): Promise<Answer> {
  return new Promise((resolve, reject) => {
    execFile(command, args, { encoding: "utf8" }, (error, stdout, stderr) => {
      if (getErrorCode(error) === "ENOENT") reject(createMissingError(command));
      else resolve({ code: typeof error?.code === "number" ? error.code : error === null ? 0 : 1, stdout, stderr });
    });
  });
}

const installAdvice = "pdpp service install --print shows the files and commands, so that you can do it by hand";

/** A user's systemd runs from sign-in, and su and sudo do not sign in. */
const noSession = "you are not signed in as this user (su and sudo are not enough): sign in, or use --system as root";

async function runStep(step: Step, advice: string): Promise<void> {
  const { code, stdout, stderr } = await askSystem(step);
  if (code === 0 || step.mayFail) return;
  const reason = (stderr || stdout).trim() || `exit code ${code}`;
  throw new PdppError("unavailable", `${formatStep(step)} failed: ${reason}`, {
    next_step:
      reason.startsWith("Failed to connect to bus") && step.args.includes("--user")
        ? `${noSession}; or ${advice}`
        : advice,
  });
}

/** Runs a program whose output goes to the terminal as it comes. */
export function showOutput({ command, args }: Step): Promise<number> {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { stdio: ["ignore", "inherit", "inherit"] });
    child.on("error", (error) => reject(getErrorCode(error) === "ENOENT" ? createMissingError(command) : error));
    child.on("exit", (code) => resolve(code ?? 1));
  });
}

export const formatStep = ({ command, args }: Step): string => [command, ...args].join(" ");

const createMissingError = (command: string): PdppError =>
  new PdppError("unavailable", `${command} was not found on this machine`, {
    next_step: "pdpp service install --print shows the files; start pdpp serve with the system's own tools",
  });
