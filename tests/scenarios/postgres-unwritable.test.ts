import { serve } from "@pdpp/server/main";
import { createOwner } from "@pdpp/server/owner/owner";
import { openStore } from "@pdpp/server/store/store";
import { runPdpp } from "@pdpp/test-support/cli/run-pdpp";
import { runAsOperator, setReadOnly } from "@pdpp/test-support/postgres/read-only";
import { createVault, type TestVault } from "@pdpp/test-support/vaults/new-vault";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

describe("a PostgreSQL database that cannot be written", () => {
  let vault: TestVault;
  let databaseUrl: string;
  beforeAll(async () => {
    vault = await createVault("postgres");
    databaseUrl = vault.databaseUrl ?? "";
  });
  afterAll(() => vault.drop());

  const serveVault = () => serve({ dataDir: vault.dataDir, databaseUrl, port: 0, host: "127.0.0.1" });
  /** A write of the server, as an owner's command makes it. */
  const writeOnce = async () => {
    const store = await openStore({ dataDir: vault.dataDir, databaseUrl });
    await createOwner({ store, ownerNo: 1, now: Date.now })
      .tokens.create({ name: "probe" })
      .finally(() => store.close());
  };

  it("[WRT-7] ends a server that starts on it, with the reason", async () => {
    await setReadOnly(databaseUrl, "on");
    const args = ["serve", "--port", "0", "--data-dir", vault.dataDir, "--database-url", databaseUrl];
    const { code, stderr } = await runPdpp(args);
    await setReadOnly(databaseUrl, "off");
    expect([code, stderr]).toEqual([1, expect.stringContaining("the database is read-only")]);
  });

  it.each([
    ["read-only", () => setReadOnly(databaseUrl, "on"), () => setReadOnly(databaseUrl, "off")],
    [
      "full",
      () =>
        runAsOperator(
          databaseUrl,
          `CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS
          $$ BEGIN RAISE EXCEPTION 'could not extend file: No space left on device' USING ERRCODE = '53100'; END $$;
          CREATE TRIGGER full_log BEFORE INSERT OR UPDATE ON access_log_chain FOR EACH STATEMENT EXECUTE FUNCTION refuse();
          CREATE TRIGGER full_token BEFORE INSERT ON token FOR EACH STATEMENT EXECUTE FUNCTION refuse();
          CREATE TRIGGER full_meta BEFORE UPDATE ON meta FOR EACH STATEMENT EXECUTE FUNCTION refuse()`,
        ),
      () => runAsOperator(databaseUrl, "DROP FUNCTION refuse CASCADE"),
    ],
  ])("[WRT-7] makes a running server not ready while it is %s, and ready afterwards", async (_, begin, end) => {
    const running = await serveVault();
    try {
      const ask = (path: string) => fetch(`${running.url}${path}`).then(({ status }) => status);
      await expect.poll(() => ask("/readyz")).toBe(200);
      await begin();
      await expect(writeOnce()).rejects.toMatchObject({ code: "unavailable" });
      // A refused request is logged, which is a write of the server itself.
      expect(await fetch(`${running.url}/v1/streams`, { headers: { authorization: "Bearer x" } })).toMatchObject({
        status: 401,
      });
      await expect.poll(() => ask("/readyz")).toBe(503);
      expect(await ask("/healthz")).toBe(200);
      await end();
      await expect.poll(() => ask("/readyz")).toBe(200);
    } finally {
      await running.close();
    }
  });
});
