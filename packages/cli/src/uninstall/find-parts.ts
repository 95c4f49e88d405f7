import { existsSync, readdirSync, rmdirSync, rmSync } from "node:fs";
import { basename, join, resolve } from "node:path";
import { isInstalled } from "@pdpp/agent-setup/command-name";
import { defaultServerName } from "@pdpp/agent-setup/known-agents";
import { getHome, listCredentials, resolveCacheRoot } from "../credentials/credential-file.ts";
import type { VaultLocation } from "../runtime/command.ts";
import type { ServiceManager } from "../service/definition.ts";
import { findInstalledUnits, listServicePaths, removeService } from "../service/install.ts";
import { getServiceManager } from "../service/manager.ts";
import { agentClients } from "../setup/clients.ts";
import { deleteEntry, isConfigured } from "../setup/write.ts";

/** Something that pdpp put on this machine. */
export interface Part {
  readonly kind: "service" | "agent" | "credential" | "cache" | "demo" | "vault";
  readonly title: string;
  readonly paths: readonly string[];
  /** Returns the path of a copy that it leaves. */
  remove(): Promise<string | undefined>;
}

/** Everything in a vault's folder that pdpp creates there. Other files of the folder are the owner's. */
const vaultNames = [
  ...["vault.db", "vault.db-wal", "vault.db-shm", "vault.db-journal", "vault.db-place", "blobs", "revocations.ndjson"],
  ...["reserve", "backups", "log", "uploads", "restoring", "connectors", "sources", "server.json"],
];

/** In the order of removal: what reads the vault comes first. */
export const findParts = (location: VaultLocation): Part[] => [
  ...findServices(),
  ...findAgents(),
  ...findCredentials(),
  ...findCache(),
  ...findFolder("demo", "the demo's vault", join(location.dataDir, "demo")),
];

/** Only for an owner who asks for it. */
export const findVault = ({ dataDir }: VaultLocation): Part[] => findFolder("vault", "the vault", dataDir);

function findServices(): Part[] {
  return listServiceManagers().flatMap((manager) => {
    const paths = listServicePaths(manager);
    if (findInstalledUnits(manager).length === 0) return [];
    const title = `service of ${manager.title}`;
    return [{ kind: "service", title, paths, remove: async () => void (await removeService(manager)) }];
  });
}

/** The machine's service can be removed by root alone. */
function listServiceManagers(): ServiceManager[] {
  const { platform, env } = process;
  if (!["linux", "darwin", "win32"].includes(platform)) return [];
  const place = { platform, env, home: getHome(env), uid: process.getuid?.() ?? 0 };
  const scopes = platform === "linux" && place.uid === 0 ? [false, true] : [false];
  return scopes.map((isSystem) => getServiceManager({ ...place, isSystem }));
}

function findAgents(): Part[] {
  const { platform, env } = process;
  return agentClients.flatMap((agent): Part[] => {
    const { title, format, section, files } = agent;
    const entry = { section, name: defaultServerName };
    return files({ platform, env, home: getHome(env) })
      .map((path) => resolve(path))
      .filter((path) => isConfigured(path, format, entry))
      .map((path) => ({
        kind: "agent",
        title: `configuration of ${title}`,
        paths: [path],
        remove: async () => deleteEntry(path, agent, entry, "user"),
      }));
  });
}

function findCredentials(): Part[] {
  const root = resolveCacheRoot(undefined, process.env);
  return listCredentials(root).map(({ path, ...held }) => ({
    kind: "credential",
    title: held.state === "broken" ? "unreadable credential" : `token for ${held.saved.providerUrl}`,
    paths: [path],
    remove: async () => {
      rmSync(path, { force: true });
      removeEmptyFolder(join(root, "clients"));
      return undefined;
    },
  }));
}

/** Node's compile cache, in a folder that pdpp's program chose; a folder that somebody else named is shared. */
function findCache(): Part[] {
  const path = process.env.NODE_COMPILE_CACHE;
  if (!isInstalled || path === undefined || basename(path) !== "pdpp" || !existsSync(path)) return [];
  const remove = async (): Promise<undefined> => void rmSync(path, { recursive: true, force: true });
  return [{ kind: "cache", title: "compiled modules", paths: [path], remove }];
}

function findFolder(kind: Part["kind"], title: string, folder: string): Part[] {
  const paths = vaultNames.map((name) => join(folder, name)).filter((path) => existsSync(path));
  if (paths.length === 0) return [];
  const remove = async (): Promise<undefined> => {
    for (const path of paths) rmSync(path, { recursive: true, force: true });
    removeEmptyFolder(folder);
  };
  return [{ kind, title, paths, remove }];
}

export function removeEmptyFolder(path: string): void {
  if (existsSync(path) && readdirSync(path).length === 0) rmdirSync(path);
}
