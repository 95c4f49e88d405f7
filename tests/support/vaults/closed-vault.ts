import { openStore, type Store } from "@pdpp/server/store/store";
import { raw } from "../../../packages/server/src/store/engine/sql.ts";

/** Opens a vault that no process has open, works on it and closes it. */
export async function withClosedVault<T>(dataDir: string, work: (store: Store) => Promise<T>): Promise<T> {
  const store = await openStore({ dataDir });
  try {
    return await work(store);
  } finally {
    await store.close();
  }
}

export const countRows = (dataDir: string, table: string): Promise<number> =>
  withClosedVault(dataDir, async ({ engine }) => {
    const [row] = await engine.read((on) => on.all<{ n: number }>(raw(`SELECT count(*) AS n FROM ${table}`)));
    return Number(row?.n);
  });

/** Ends the leases of runs whose process was killed, so that a test need not wait for it. */
export const expireLeases = (dataDir: string): Promise<void> =>
  withClosedVault(dataDir, ({ engine }) =>
    engine.write(async (on) => void (await on.run(raw("UPDATE source SET lease_until = 1")))),
  );
