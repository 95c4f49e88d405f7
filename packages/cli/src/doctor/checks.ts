import { constants, existsSync } from "node:fs";
import { access, readdir, stat, statfs } from "node:fs/promises";
import { createServer } from "node:net";
import { dirname, join } from "node:path";
import { commandName } from "@pdpp/agent-setup/command-name";
import { listOwners } from "@pdpp/server/owner/owners";
import type { Store, StoreLocation } from "@pdpp/server/store/store";
import { getErrorMessage } from "@pdpp/server/system-error";
import { formatCount } from "../render/view.ts";
import { describeAge, describeVault, getAdvice, hasVault, openOwner, withVault } from "../runtime/vault.ts";
import { findRunningServer } from "./running-server.ts";

export interface Check {
  readonly name: string;
  readonly state: "ok" | "warning" | "failed";
  readonly detail: string;
  readonly advice?: string;
}

export const passCheck = (name: string, detail: string): Check => ({ name, state: "ok", detail });
export const warnCheck = (name: string, detail: string, advice?: string): Check => ({
  name,
  state: "warning",
  detail,
  ...(advice === undefined ? {} : { advice }),
});
export const failCheck = (name: string, detail: string, advice?: string): Check => ({
  ...warnCheck(name, detail, advice),
  state: "failed",
});

export const checkNode = (): Check => passCheck("node", process.version);

/** Returns the folder or its nearest existing parent. */
function findExistingFolder(directory: string): string {
  return existsSync(directory) || dirname(directory) === directory ? directory : findExistingFolder(dirname(directory));
}

export async function checkDirectory(dataDir: string): Promise<Check> {
  const name = "data directory";
  const held = findExistingFolder(dataDir);
  const found = await stat(held).catch(() => undefined);
  const writable = await access(held, constants.W_OK | constants.X_OK).then(
    () => true,
    () => false,
  );
  if (!found?.isDirectory()) return failCheck(name, `${held} is not a directory`, "choose another --data-dir");
  if (!writable) return failCheck(name, `${held} is not writable`, "make it writable, or choose another --data-dir");
  if (held !== dataDir) return passCheck(name, `${dataDir} will be created`);
  const open = await findReadableByOthers(dataDir);
  return open === undefined
    ? passCheck(name, `${dataDir} is writable`)
    : warnCheck(name, `${open} can be read by other users of this machine`, `chmod -R go= ${dataDir}`);
}

async function findReadableByOthers(dataDir: string): Promise<string | undefined> {
  if (process.platform === "win32") return undefined;
  for (const path of [dataDir, ...(await readdir(dataDir)).map((name) => join(dataDir, name))]) {
    const found = await stat(path).catch(() => undefined);
    if (found !== undefined && (found.mode & 0o077) !== 0) return path;
  }
  return undefined;
}

const minFreeBytes = 1e9;

export async function checkDisk(dataDir: string): Promise<Check> {
  const { bavail, bsize } = await statfs(findExistingFolder(dataDir));
  const free = bavail * bsize;
  const detail = `${(free / 1e9).toFixed(1)} GB free`;
  return free >= minFreeBytes
    ? passCheck("disk", detail)
    : warnCheck("disk", detail, "free some space before storing more");
}

const firstStep = `import an export with ${commandName} import FILE, or register your own data with ${commandName} connector add FILE`;

export async function checkVault(location: StoreLocation): Promise<Check[]> {
  const name = "vault";
  if (!hasVault(location)) return [warnCheck(name, `no vault in ${location.dataDir} yet`, firstStep)];
  try {
    return await withVault(location, async (store) => [
      store.engine.readOnly === undefined
        ? passCheck(name, `${describeVault(location)} can be opened`)
        : failCheck(
            name,
            `open for reading only: ${store.engine.readOnly.reason}. ${await describeAge(store)}`,
            store.engine.readOnly.nextStep,
          ),
      ...(await checkContents(store)),
    ]);
  } catch (error) {
    const known = getAdvice(error);
    const general =
      location.databaseUrl === undefined
        ? `restore a backup with ${commandName} restore, or choose another --data-dir`
        : "check that the database is running, that --database-url is correct, and that you can create tables in it";
    const advice = known === undefined || known.includes(`${commandName} doctor`) ? general : known;
    return [failCheck(name, getErrorMessage(error), advice)];
  }
}

async function checkContents(store: Store): Promise<Check[]> {
  const names = (await listOwners(store)).map(({ name }) => name);
  const all = await Promise.all(names.map((name) => openOwner(store, name)));
  const connectors = (await all[0]?.connectors.list()) ?? [];
  const held = (await Promise.all(all.map(({ connections }) => connections.list()))).flat();
  const isActive = ({ status }: { readonly status: string }) => status === "active";
  const active = (await Promise.all(all.map(({ grants }) => grants.list()))).flat().filter(isActive).length;
  const own = (await Promise.all(all.map(({ tokens }) => tokens.list()))).flat().filter(isActive).length;
  const waiting = connectors.filter(({ reindexing }) => reindexing).map(({ connector_key }) => connector_key);
  const next =
    connectors.length === 0
      ? firstStep
      : held.length === 0
        ? `add a connection with ${commandName} connection add KEY`
        : undefined;
  const sources = `${formatCount(connectors.length, "connector")}, ${formatCount(held.length, "connection")}`;
  return [
    passCheck("schema", `version ${store.schemaVersion}`),
    next === undefined ? passCheck("sources", sources) : warnCheck("sources", sources, next),
    ...(waiting.length === 0
      ? []
      : [warnCheck("manifests", `${waiting.join(", ")} not indexed yet`, `run ${commandName} connector add again`)]),
    passCheck("access", `${formatCount(active, "active grant")}, ${formatCount(own, "active owner token")}`),
  ];
}

export async function checkPort(port: number): Promise<Check> {
  const check = await tryPort(port);
  const served = check.state === "ok" ? undefined : await findRunningServer(port);
  return served === undefined ? check : passCheck(check.name, `pdpp is running at ${served}`);
}

function tryPort(port: number): Promise<Check> {
  const name = "port";
  return new Promise((resolve) => {
    const server = createServer()
      .once("error", (error: NodeJS.ErrnoException) => {
        const detail =
          error.code === "EADDRINUSE" ? `port ${port} is in use` : `port ${port} cannot be used: ${error.code}`;
        resolve(warnCheck(name, detail, "choose another --port for pdpp serve"));
      })
      .listen(port, "127.0.0.1", () => server.close(() => resolve(passCheck(name, `${port} is free`))));
  });
}
