import { stat } from "node:fs/promises";
import { getVaultFile, type StoreLocation } from "../store/store.ts";

/** A database measures itself. */
export async function measureVaultFiles({ dataDir, databaseUrl }: StoreLocation): Promise<number | undefined> {
  if (databaseUrl !== undefined) return undefined;
  const file = getVaultFile(dataDir);
  const sizes = await Promise.all(
    [file, `${file}-wal`].map((path) =>
      stat(path).then(
        ({ size }) => size,
        () => 0,
      ),
    ),
  );
  return sizes.reduce((sum, size) => sum + size, 0);
}
