import { countReads } from "@pdpp/test-support/vaults/count-reads";
import { createVault, engineNames, type TestVault } from "@pdpp/test-support/vaults/new-vault";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { authenticate } from "#server/auth/authenticate";
import { loadDemo } from "#server/demo/load-demo";
import { createReader } from "#server/read/reader";

const now = Date.parse("2026-11-01T00:00:00Z");

describe.each(engineNames)("a search on %s", (engine) => {
  let vault: TestVault;
  let token: string;

  beforeAll(async () => {
    vault = await createVault(engine);
    token = await loadDemo(vault.store, now);
  });
  afterAll(() => vault.drop());

  it("[SRCH-20] takes a handful of statements, however many words and streams it covers", async () => {
    const { store, statements } = countReads(vault.store);
    const reader = createReader({ store, scope: await authenticate(store, token, now) });
    const ask = async (q: string): Promise<number> => {
      await reader.search({ q, limit: 10 });
      const before = statements();
      await reader.search({ q, limit: 10 });
      return statements() - before;
    };
    const one = await ask("boiler");
    const many = await ask("boiler invoice gutter thermostat school dentist Mila roof offer warranty lawyer marathon");
    // One statement per stream for the records of a page, and one per conversation for its order.
    const streams = 12;
    expect(one).toBeLessThanOrEqual(4 + streams);
    expect(many).toBeLessThanOrEqual(4 + streams);
    expect(await ask("xyzzyq")).toBeLessThanOrEqual(4);
  });
});
