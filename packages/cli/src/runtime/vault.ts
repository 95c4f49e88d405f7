import { PdppError } from "@pdpp/contract/errors";
import type { OwnerApi } from "@pdpp/contract/owner";
import { createOwner } from "@pdpp/server/owner/owner";
import { findOwner } from "@pdpp/server/owner/owners";
import { openStore, type Store, type StoreLocation } from "@pdpp/server/store/store";
import { describeSystemError, getErrorMessage } from "@pdpp/server/system-error";
import type { VaultLocation } from "./command.ts";

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
    return await work(store);
  } finally {
    await store.close();
  }
}

async function openVault(location: StoreLocation): Promise<Store> {
  try {
    return await openStore(location);
  } catch (error) {
    throw new PdppError("unavailable", `cannot open the vault ${describeVault(location)}: ${describeReason(error)}`, {
      next_step: getAdvice(error) ?? "run pdpp doctor to check your setup",
    });
  }
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
