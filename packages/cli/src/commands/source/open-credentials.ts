import { join, resolve, sep } from "node:path";
import { type Credentials, openCredentials } from "@pdpp/collecting/credentials";
import type { OwnerApi } from "@pdpp/contract/owner";
import type { KeyProtection } from "@pdpp/contract/secrets";
import type { StoreLocation } from "@pdpp/server/store/store";
import { type Environment, getHome } from "../../credentials/credential-file.ts";
import { askHidden, hasTerminal, readSecretFile } from "../../input/secret-input.ts";
import { UsageError } from "../../runtime/failure.ts";
import { getAppDataFolder } from "../../setup/clients.ts";

export const protections: readonly KeyProtection[] = ["keychain", "file", "passphrase"];

/** The saved credentials of sources, with the key where this computer has it. */
export function openSourceCredentials(
  owner: OwnerApi,
  { dataDir }: Pick<StoreLocation, "dataDir">,
  env: Environment = process.env,
): Credentials {
  return openCredentials(owner, {
    // A wrong place matters only once there is a key file.
    get keyFolder() {
      return getKeyFolder(dataDir, env);
    },
    protection: chooseProtection(env),
    getPassphrase: () => getPassphrase(env),
  });
}

/** Asks for the passphrase before a server starts. Without a way to get it, the server starts too, and runs say what they lack. */
export async function unlockCredentials(credentials: Credentials): Promise<void> {
  const key = await credentials.describeKey();
  if (key?.protection === "passphrase" && (process.env.PDPP_SOURCE_PASSPHRASE_FILE || hasTerminal()))
    await credentials.unlock();
}

/** Not in the vault's folder, which people copy to other places. */
function getKeyFolder(dataDir: string, env: Environment): string {
  const { PDPP_KEY_DIR: given } = env;
  const folder = given
    ? resolve(given)
    : join(getAppDataFolder({ platform: process.platform, home: getHome(env), env }), "pdpp", "keys");
  if (!`${folder}${sep}`.startsWith(`${resolve(dataDir)}${sep}`)) return folder;
  throw new UsageError(`the key must not be in the vault's folder ${dataDir}; set PDPP_KEY_DIR to another folder`);
}

function chooseProtection({ PDPP_SOURCE_KEY: wanted, PDPP_SOURCE_PASSPHRASE_FILE: file }: Environment) {
  const chosen = protections.find((each) => each === wanted);
  if (wanted && chosen === undefined) throw new UsageError(`PDPP_SOURCE_KEY is not one of ${protections.join(", ")}`);
  return chosen ?? (file ? "passphrase" : undefined);
}

async function getPassphrase({ PDPP_SOURCE_PASSPHRASE_FILE: file }: Environment): Promise<string> {
  if (file) return readSecretFile(file, "passphrase");
  return hasTerminal() ? askOnce() : "";
}

/** Asks once, also if several ask at the same time. */
export function rememberAnswer<T>(ask: () => Promise<T>): () => Promise<T> {
  let answer: Promise<T> | undefined;
  return () => {
    answer ??= ask();
    return answer;
  };
}

/** A server opens credentials in each run. */
const askOnce = rememberAnswer(() => askHidden("Passphrase of your sources' credentials: "));
