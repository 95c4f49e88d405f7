import { existsSync } from "node:fs";
import { join } from "node:path";
import { commandName } from "@pdpp/agent-setup/command-name";
import { PdppError } from "@pdpp/contract/errors";
import type { OwnerApi } from "@pdpp/contract/owner";
import { createOwner } from "@pdpp/server/owner/owner";
import { findOwner, listOwners } from "@pdpp/server/owner/owners";
import { openStore, type Store, type StoreLocation } from "@pdpp/server/store/store";
import { describeSystemError, getErrorMessage } from "@pdpp/server/system-error";
import { scaleTimeLimit } from "@pdpp/server/time-limits";
import type { VaultLocation } from "./command.ts";

/** Opening a vault in an empty folder creates one. A database is always there. */
export const hasVault = ({ dataDir, databaseUrl }: StoreLocation): boolean =>
  databaseUrl !== undefined || existsSync(join(dataDir, "vault.db"));

/** Opens the vault as its owner and always closes it again. */
export function withOwner<T>(location: VaultLocation, work: (owner: OwnerApi) => Promise<T>): Promise<T> {
  return withVault(location, async (store) => work(await openOwner(store, location.owner)));
}

export const openOwner = async (store: Store, name?: string): Promise<OwnerApi> =>
  createOwner({ store, ownerNo: await findOwner(store, name), now: Date.now });

/** Opens the vault and always closes it again. */
export async function withVault<T>(location: StoreLocation, work: (store: Store) => Promise<T>): Promise<T> {
  const store = await openVault(location);
  try {
    await reportReadOnly(store);
    return await work(store);
  } finally {
    await store.close();
  }
}

/** After this long, a command says that it is waiting. The reason is a guess: a busy machine can be as slow as a locked vault. */
const waitNoticeMs = scaleTimeLimit(1000);

async function openVault(location: StoreLocation): Promise<Store> {
  const notice = setTimeout(
    () =>
      process.stderr.write(`Waiting for the vault ${describeVault(location)}; another program may be using it ...\n`),
    waitNoticeMs,
  );
  try {
    return await openStore(location);
  } catch (error) {
    throw new PdppError("unavailable", `cannot open the vault ${describeVault(location)}: ${describeReason(error)}`, {
      next_step: getAdvice(error) ?? `run ${commandName} doctor to check your setup`,
    });
  } finally {
    clearTimeout(notice);
  }
}

/** Says what is known about a vault that lacks its newest records, so that people can decide whether to go on with it. */
async function reportReadOnly(store: Store): Promise<void> {
  const { readOnly } = store.engine;
  if (readOnly === undefined) return;
  process.stderr.write(
    `Open for reading only: ${readOnly.reason}.\n${await describeAge(store)}\n-> ${readOnly.nextStep}\n`,
  );
}

export async function describeAge(store: Store): Promise<string> {
  const [entry] = await (await openOwner(store, (await listOwners(store))[0]?.name)).log.read({ limit: 1 });
  return entry === undefined ? "Its access log is empty." : `The newest entry of its access log is from ${entry.at}.`;
}

export const getAdvice = (error: unknown): string | undefined =>
  error instanceof PdppError ? error.details.next_step : undefined;

/** Omits the password that a database URL may contain. */
export function describeVault({ dataDir, databaseUrl }: StoreLocation): string {
  if (databaseUrl === undefined) return dataDir;
  const url = URL.canParse(databaseUrl) ? new URL(databaseUrl) : undefined;
  return url === undefined ? "of --database-url" : `${url.protocol}//${url.host}${url.pathname}`;
}

function describeReason(error: unknown): string {
  const first = error instanceof AggregateError ? error.errors[0] : error;
  return describeSystemError(first)?.message.replace(/; run pdpp doctor.*$/, "") ?? getErrorMessage(first);
}
