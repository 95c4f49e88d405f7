import { readdirSync, readFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";

/** The scoped token that reads use, and whose it is. Never an owner's. */
export interface ClientCredential {
  readonly providerUrl: string;
  readonly accessToken: string;
  readonly from: "environment" | "cache";
}

export interface CredentialQuery {
  readonly providerUrl?: string;
  readonly cacheRoot?: string;
  readonly env: NodeJS.ProcessEnv;
}

/** There is no credential that can be used; the exit code says why, as sysexits.h has it. */
export class CredentialError extends Error {
  override readonly name = "CredentialError";
  readonly exitCode: 77 | 78;

  constructor(exitCode: 77 | 78, message: string) {
    super(message);
    this.exitCode = exitCode;
  }
}

const ownerPrefix = "pdpp_owner_";
const localServer = "http://127.0.0.1:7663";
const advice = "get a token with pdpp connect URL, or set PDPP_ACCESS_TOKEN to one that the owner gave you";

export function clientCredential({ providerUrl, cacheRoot, env }: CredentialQuery): ClientCredential {
  const folder = join(cacheRoot ?? join(homedir(), ".pdpp"), "clients");
  const named = providerUrl ?? (env.PDPP_PROVIDER_URL || undefined);
  const token = env.PDPP_ACCESS_TOKEN;
  if (token) {
    return {
      providerUrl: named ?? onlyProvider(folder) ?? localServer,
      accessToken: scoped(token),
      from: "environment",
    };
  }
  const found = named === undefined ? onlyCached(folder) : cached(join(folder, fileOf(named)));
  if (found === null)
    throw new CredentialError(78, `not connected${named === undefined ? "" : ` to ${named}`}; ${advice}`);
  return { ...found, ...(named === undefined ? {} : { providerUrl: named }), accessToken: scoped(found.accessToken) };
}

function scoped(token: string): string {
  if (!token.startsWith(ownerPrefix)) return token;
  throw new CredentialError(77, `this is an owner token, and reading never uses one; ${advice}`);
}

const fileOf = (url: string): string => `${new URL(url).host.replace(/[^A-Za-z0-9.-]/g, "_")}.json`;

const filesIn = (folder: string): string[] => {
  try {
    return readdirSync(folder).filter((name) => name.endsWith(".json"));
  } catch {
    return [];
  }
};

const onlyProvider = (folder: string): string | undefined => {
  const found = filesIn(folder);
  return found.length === 1 ? cached(join(folder, found[0]!))?.providerUrl : undefined;
};

function onlyCached(folder: string): ClientCredential | null {
  const found = filesIn(folder);
  if (found.length > 1) {
    const urls = found.map((file) => cached(join(folder, file))?.providerUrl).filter(Boolean);
    throw new CredentialError(78, `connected to several: ${urls.join(", ")}; name one as the first argument`);
  }
  return found.length === 0 ? null : cached(join(folder, found[0]!));
}

function cached(file: string): ClientCredential | null {
  try {
    const { provider_url, credential } = JSON.parse(readFileSync(file, "utf8"));
    if (typeof provider_url !== "string" || typeof credential?.access_token !== "string") return null;
    return { providerUrl: provider_url, accessToken: credential.access_token, from: "cache" };
  } catch {
    return null;
  }
}
