import { type CountingProxy, startCountingProxy, type WireTraffic } from "@pdpp/test-support/postgres/counting-proxy";
import { createVault, type TestVault } from "@pdpp/test-support/vaults/new-vault";
import { createSample, everything, type Sample } from "@pdpp/test-support/vaults/sample";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openStore, type Store } from "#server/store/store";

interface Read {
  readonly path: string;
  readonly statements: number;
  readonly roundTrips: number;
}

const messages = "/v1/streams/messages";
const reads: Read[] = [
  // BEGIN, the record, its related records, COMMIT.
  { path: `${messages}/records/h05?connection_id=chat_home`, statements: 5, roundTrips: 4 },
  { path: `${messages}/records/h05?connection_id=chat_home&fields=id,text`, statements: 4, roundTrips: 3 },
  { path: `${messages}/records?limit=25`, statements: 5, roundTrips: 4 },
  { path: `${messages}/aggregate?metric=count`, statements: 4, roundTrips: 3 },
  { path: "/v1/search?q=h07", statements: 7, roundTrips: 6 },
];

/** The access log is written in the background, for many reads at once. */
const belongsToLog = (statement: string) => /access_log/.test(statement);

describe("statements that a read sends to PostgreSQL", () => {
  let vault: TestVault;
  let proxy: CountingProxy;
  let store: Store;
  let sample: Sample;
  let token: string;
  beforeAll(async () => {
    vault = await createVault("postgres");
    proxy = await startCountingProxy(vault.databaseUrl!);
    store = await openStore({ dataDir: vault.dataDir, databaseUrl: proxy.url });
    sample = await createSample({ ...vault, store });
    token = await sample.grant(everything);
  });
  afterAll(async () => {
    await store.close();
    await proxy.close();
    await vault.drop();
  });

  const countWhile = async (path: string): Promise<WireTraffic> => {
    await store.log.flush();
    proxy.take();
    const response = await sample.call(token, path);
    expect(response.status).toBe(200);
    let traffic = proxy.take();
    // A read does not wait for its COMMIT.
    const takeRest = () => {
      const rest = proxy.take();
      traffic = {
        statements: [...traffic.statements, ...rest.statements],
        parsed: traffic.parsed + rest.parsed,
        roundTrips: traffic.roundTrips + rest.roundTrips,
      };
      return traffic.statements;
    };
    await expect.poll(takeRest).toContain("COMMIT");
    return traffic;
  };

  it.each(reads)("[SCL-1] $statements for $path", async ({ path, statements, roundTrips }) => {
    // A connection names a statement when it recurs, and there are several connections.
    for (let n = 0; n < 5; n += 1) await countWhile(path);
    const traffic = await countWhile(path);
    expect(traffic.statements.filter(belongsToLog)).toEqual([]);
    expect(traffic.statements).toHaveLength(statements);
    expect(traffic.roundTrips).toBeLessThanOrEqual(roundTrips);
    // BEGIN and COMMIT have nothing to parse.
    expect(traffic.parsed - traffic.statements.filter((text) => /^(BEGIN|COMMIT)/.test(text)).length).toBe(0);
    expect(traffic.statements.filter((text) => text.startsWith("SET"))).toEqual([]);
  });
});
