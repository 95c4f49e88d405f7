import type { TestVault } from "../../../../../tests/support/vaults.ts";
import type { StoreLocation } from "../store.ts";

export type OpenVault = () => Promise<TestVault>;

export const locationOf = ({ dataDir, databaseUrl }: TestVault): StoreLocation => ({
  dataDir,
  ...(databaseUrl === undefined ? {} : { databaseUrl }),
});

/** A vault for one case, gone when the case is over. */
export async function using<T>(open: OpenVault, work: (vault: TestVault) => Promise<T>): Promise<T> {
  const vault = await open();
  try {
    return await work(vault);
  } finally {
    await vault.drop();
  }
}
