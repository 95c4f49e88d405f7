import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { basename, join, resolve } from "node:path";
import { parseInstant } from "@pdpp/contract/instant";
import { hasTokenForm } from "@pdpp/server/auth/tokens";
import { getErrorCode } from "@pdpp/server/system-error";
import { sync as writeFileAtomic } from "write-file-atomic";
import { parseJsonObject, toObject } from "../input/parse-json.ts";
import { normalizeProviderUrl } from "./provider-url.ts";

/** Client credentials are cached in one file per host, in the layout of the public protocol. */

interface SavedCredential {
  readonly providerUrl: string;
  readonly accessToken: string;
  readonly expiresAt?: string;
  readonly grantId?: string;
  readonly packageId?: string;
  readonly authorizationServer?: string;
  /** A demo token may be overwritten without asking. */
  readonly demo?: boolean;
}

export type CachedCredential =
  | { readonly state: "usable" | "expired" | "owner"; readonly path: string; readonly saved: SavedCredential }
  | { readonly state: "broken"; readonly path: string; readonly reason: string };

export type Environment = Readonly<Record<string, string | undefined>>;

export const getHome = (env: Environment): string =>
  (process.platform === "win32" ? env.USERPROFILE : env.HOME) || homedir();

const getHomeRoot = (env: Environment): string => join(getHome(env), ".pdpp");

/**
 * The folder for credentials: the given one, or in the home folder. Never the current folder: the author of a repository could use it to
 * choose the server that a client talks to.
 */
export const resolveCacheRoot = (cacheRoot: string | undefined, env: Environment): string => {
  const given = cacheRoot || env.PDPP_CACHE_ROOT;
  return given ? resolve(given) : getHomeRoot(env);
};

export const getCredentialPath = (root: string, providerUrl: string): string =>
  join(root, "clients", `${new URL(providerUrl).host.replace(/[^A-Za-z0-9.-]/g, "_")}.json`);

export function saveCredential(root: string, saved: SavedCredential): string {
  const providerUrl = normalizeProviderUrl(saved.providerUrl);
  const path = getCredentialPath(root, providerUrl);
  const { accessToken, expiresAt, grantId, packageId, authorizationServer, demo } = saved;
  const body = {
    provider_url: providerUrl,
    authorization_server: authorizationServer ?? providerUrl,
    scope: "pdpp:read",
    client: null,
    credential: {
      access_token: accessToken,
      token_type: "Bearer",
      ...(expiresAt === undefined ? {} : { expires_at: expiresAt }),
      ...(grantId === undefined ? {} : { grant_id: grantId }),
      ...(packageId === undefined ? {} : { package_id: packageId }),
      scope: "pdpp:read",
    },
    ...(demo ? { demo } : {}),
    created_at: new Date().toISOString(),
  };
  prepareRoot(root);
  // Atomic, so readers see either the old or the new file; private, so other users see neither.
  writeFileAtomic(path, `${JSON.stringify(body, null, 2)}\n`, { mode: 0o600 });
  return path;
}

function prepareRoot(root: string): void {
  const clients = join(root, "clients");
  mkdirSync(clients, { recursive: true, mode: 0o700 });
  chmodSync(clients, 0o700);
  const ignored = join(root, ".gitignore");
  if (basename(root) === ".pdpp" && resolve(root) !== getHomeRoot(process.env) && !existsSync(ignored)) {
    writeFileSync(ignored, "*\n!.gitignore\n");
  }
}

export function listCredentials(root: string): CachedCredential[] {
  let names: string[];
  try {
    names = readdirSync(join(root, "clients"));
  } catch {
    return [];
  }
  return names
    .filter((name) => name.endsWith(".json"))
    .sort()
    .flatMap((name) => readCredential(join(root, "clients", name)) ?? []);
}

/** Returns undefined if there is no file. */
export function readCredential(path: string): CachedCredential | undefined {
  let text: string;
  try {
    text = readFileSync(path, "utf8");
  } catch (error) {
    const code = getErrorCode(error);
    return code === "ENOENT" || code === "ENOTDIR"
      ? undefined
      : { state: "broken", path, reason: `cannot be read (${code})` };
  }
  const saved = parseCredential(text);
  if (saved === undefined) return { state: "broken", path, reason: "is not a client credential" };
  return { path, ...saved };
}

type Json = Readonly<Record<string, unknown>>;

const toText = (value: unknown): string | undefined => (typeof value === "string" ? value : undefined);

function parseCredential(text: string): { state: "usable" | "expired" | "owner"; saved: SavedCredential } | undefined {
  let body: Json;
  let providerUrl: string;
  try {
    body = parseJsonObject(text);
    providerUrl = normalizeProviderUrl(String(body.provider_url));
  } catch {
    return undefined;
  }
  const credential = toObject(body.credential);
  const accessToken = toText(credential.access_token);
  const expiresAt = toText(credential.expires_at);
  const until = expiresAt === undefined ? Number.POSITIVE_INFINITY : parseInstant(expiresAt);
  if (accessToken === undefined || !hasTokenForm(accessToken) || until === null) return undefined;
  const grantId = toText(credential.grant_id);
  const packageId = toText(credential.package_id);
  return {
    state: isMarkedOwner(body) || isMarkedOwner(credential) ? "owner" : until <= Date.now() ? "expired" : "usable",
    saved: {
      providerUrl,
      accessToken,
      ...(expiresAt === undefined ? {} : { expiresAt }),
      ...(grantId === undefined ? {} : { grantId }),
      ...(packageId === undefined ? {} : { packageId }),
      ...(body.demo === true ? { demo: true } : {}),
    },
  };
}

const kindNames = ["kind", "role", "token_kind", "pdpp_token_kind"];

const isMarkedOwner = (held: Json): boolean =>
  kindNames.some((name) => /owner|control/i.test(toText(held[name]) ?? ""));
