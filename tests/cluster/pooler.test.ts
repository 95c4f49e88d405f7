import { isPgbouncerInstalled, type Pgbouncer, startPgbouncer } from "@pdpp/test-support/postgres/pgbouncer";
import { createVault, type TestVault } from "@pdpp/test-support/vaults/new-vault";
import { buildMessage, createSample, everything, putRecords } from "@pdpp/test-support/vaults/sample";
import pg from "pg";
import { afterEach, describe, expect, it } from "vitest";
import { raw } from "#server/store/engine/sql";
import { openStore, type Store } from "#server/store/store";

const poolers = [
  { title: "refuses settings", ignoredParameters: "extra_float_digits", suffix: "" },
  { title: "drops settings", ignoredParameters: "extra_float_digits,options", suffix: "" },
  { title: "is named in the URL", ignoredParameters: "extra_float_digits", suffix: "?pooler=transaction" },
];

describe.skipIf(!isPgbouncerInstalled)("pgbouncer in transaction mode (skipped if it is not installed)", () => {
  let vault: TestVault;
  let pooler: Pgbouncer;
  const stores: Store[] = [];
  afterEach(async () => {
    for (const store of stores.splice(0)) await store.close();
    await pooler.close();
    await vault.drop();
  });

  it.each(poolers)("[SCL-2] serves a vault where the pooler $title", async ({ ignoredParameters, suffix }) => {
    vault = await createVault("postgres");
    pooler = await startPgbouncer(vault.databaseUrl!, { ignoredParameters });
    const open = async () => {
      const store = await openStore({ dataDir: vault.dataDir, databaseUrl: pooler.url + suffix });
      stores.push(store);
      return store;
    };
    const store = await open();
    const sample = await createSample({ ...vault, store });
    const token = await sample.grant(everything);
    const others = await Promise.all([open(), open()]);
    // More transactions at once than the pooler has connections: they share them.
    const read = async (n: number) => {
      const id = `h${String(n % 30).padStart(2, "0")}`;
      const response = await sample.call(token, `/v1/streams/messages/records/${id}?connection_id=chat_home`);
      const { id: got } = (await response.json()) as { id: string };
      expect([response.status, got]).toEqual([200, id]);
    };
    const writers = [store, ...others].map((each, n) =>
      putRecords({ ...vault, store: each }, "chat_home", "messages", [buildMessage(`x${n}`, 100 + n)]),
    );
    await Promise.all([...writers, ...Array.from({ length: 60 }, (_, n) => read(n))]);
    const { data } = await sample.json<{ data: { id: string }[] }>(
      token,
      "/v1/streams/messages/records?connection_id=chat_home&limit=3",
    );
    expect(data.map(({ id }) => id)).toEqual(["x2", "x1", "x0"]);
    // Every read and write has its timeouts, and nothing stays on the connections.
    const timeout = await store.engine.read((on) =>
      on.one<{ statement_timeout: string }>(raw("SHOW statement_timeout")),
    );
    expect(timeout?.statement_timeout).not.toBe("0");
    const client = new pg.Client(pooler.url);
    await client.connect();
    const left = await client.query(
      "SELECT (SELECT count(*)::int FROM pg_prepared_statements WHERE name <> '') AS prepared, current_setting('statement_timeout') AS timeout",
    );
    await client.end();
    expect(left.rows).toEqual([{ prepared: 0, timeout: "0" }]);
  });
});
