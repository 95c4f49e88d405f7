import {
  indexesWithoutOwner,
  listVisitedPartitions,
  type OwnerCatalog,
  readOwnerCatalog,
  splitByOwner,
  tablesWithoutOwner,
} from "@pdpp/test-support/postgres/owner-tables";
import { createVault, type TestVault } from "@pdpp/test-support/vaults/new-vault";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { authenticate } from "#server/auth/authenticate";
import { issueOwnerToken } from "#server/auth/issue";
import { ingest } from "#server/ingest/ingest";
import { addConnection, findConnection, removeConnection } from "#server/owner/connections";
import { createReader } from "#server/read/reader";
import { pruneLog } from "#server/store/access/log/log-chain";
import { verifyLog } from "#server/store/access/log/log-verification";
import { insertOwner } from "#server/store/access/owners";
import { createExplainingStore } from "./explain.ts";
import { createDiary, now } from "./sample.ts";

const diary = createDiary({ query: { search: { lexical_fields: ["title"] }, aggregations: { count: true } } });
const owners = [1, 2, 3];

async function* encode(lines: readonly object[]): AsyncGenerator<Uint8Array> {
  for (const line of lines) yield Buffer.from(`${JSON.stringify(line)}\n`);
}

const write = async ({ store }: TestVault, ownerNo: number, id: string, lines: readonly object[], at: number) =>
  ingest(store, { ownerNo, connection: await findConnection(store, ownerNo, id), stream: "entries" }, encode(lines), {
    now: () => at,
  });

const createLines = (word: string, count = 30) =>
  Array.from({ length: count }, (_, n) => ({ data: { id: `e${n}`, title: `${word} number ${n}` } }));

async function fill(vault: TestVault): Promise<void> {
  const { store } = vault;
  await store.register(diary, now);
  for (const ownerNo of owners) {
    if (ownerNo > 1) expect(await store.engine.write((on) => insertOwner(on, `owner${ownerNo}`))).toBe(ownerNo);
    for (const id of ["home", "away"]) {
      await addConnection(store, ownerNo, { connectorKey: "diary", id }, now);
      await write(vault, ownerNo, id, createLines(`word${ownerNo}`), now);
    }
  }
}

const readCatalog = async (databaseUrl: string): Promise<OwnerCatalog> => {
  const client = new pg.Client(databaseUrl);
  await client.connect();
  try {
    return await readOwnerCatalog(client);
  } finally {
    await client.end();
  }
};

describe("keys of PostgreSQL's tables", () => {
  let vault: TestVault;
  beforeAll(async () => {
    vault = await createVault("postgres");
    await fill(vault);
  });
  afterAll(() => vault.drop());

  it("[SCL-8] begin with the owner in every table, but in the ones that decision 61 names", async () => {
    const { tables, indexes } = await readCatalog(vault.databaseUrl!);
    for (const name of tablesWithoutOwner.keys()) expect(tables).toContain(name);
    for (const name of indexesWithoutOwner.keys()) expect(indexes.map(({ index }) => index)).toContain(name);
    const owned = tables.filter((table) => !tablesWithoutOwner.has(table));
    expect(owned).toEqual(
      expect.arrayContaining(["r_1", "connection", "source_secret", "access_log_chain", "search_chunk"]),
    );
    const checked = indexes.filter(({ table, index }) => owned.includes(table) && !indexesWithoutOwner.has(index));
    expect(checked.filter(({ first }) => first !== "owner_no")).toEqual([]);
    expect(
      [...indexesWithoutOwner.keys()].filter((name) => indexes.some((row) => row.index === name && row.unique)),
    ).toEqual([]);
    const keyed = new Set(checked.filter(({ unique }) => unique).map(({ table }) => table));
    expect(owned.filter((table) => !keyed.has(table))).toEqual([]);
  });
});

describe("a vault on PostgreSQL whose tables are split by owner", () => {
  let vault: TestVault;
  beforeAll(async () => {
    vault = await createVault("postgres");
    await fill(vault);
    await vault.store.log.flush();
    await splitByOwner(vault.databaseUrl!);
    await vault.reopen();
  });
  afterAll(() => vault.drop());

  it("[SCL-8] stores, reads, searches, logs and deletes as before", async () => {
    const { store } = vault;
    for (const ownerNo of owners) {
      await write(vault, ownerNo, "home", [...createLines("changed", 5), { op: "delete", key: "e9" }], now + 1000);
      await addConnection(store, ownerNo, { connectorKey: "diary", id: "new" }, now);
      await write(vault, ownerNo, "new", createLines("fresh", 10), now + 2000);
      const { token } = await issueOwnerToken(store, ownerNo, "x", now, null);
      const api = createReader({ store, scope: await authenticate(store, token, now) });
      const count = async (q: string) => (await api.search({ q, limit: 100 })).meta.count;
      expect([await count("changed"), await count("fresh"), await count(`word${ownerNo}`)]).toEqual([5, 10, 54]);
      expect(await count(`word${(ownerNo % 3) + 1}`)).toBe(0);
      expect((await api.queryRecords({ stream: "entries", limit: 100 })).data).toHaveLength(69);
      await removeConnection(store, ownerNo, "away", now);
      store.log.note({
        ownerNo,
        at: now,
        requestId: "r",
        client: "x",
        grantIds: [],
        operation: "records.query",
        connectionIds: [],
        stream: "entries",
        status: 200,
        records: 1,
        bytes: 1,
      });
    }
    await store.sweep();
    await store.log.flush();
    for (const ownerNo of owners) {
      const verification = await store.engine.read((on) => verifyLog(on, ownerNo));
      expect(verification.fault).toBeNull();
      expect(await store.engine.write((on) => pruneLog(on, ownerNo, now + 1))).toBe(verification.entries);
    }
  });

  it("[SCL-8] reads one owner's partition in each statement", async () => {
    const { store, seen } = createExplainingStore(vault.store);
    const { token } = await issueOwnerToken(vault.store, 2, "x", now, null);
    const api = createReader({ store, scope: await authenticate(store, token, now) });
    await api.queryRecords({ stream: "entries" });
    await api.fetch({ stream: "entries", connection_id: "home", record_id: "e1" });
    await api.search({ q: "number" });
    await api.aggregate({ stream: "entries", metric: "count" });
    expect(seen.filter(({ plan }) => listVisitedPartitions(plan).size === 1).length).toBeGreaterThan(5);
    for (const { text, plan } of seen)
      expect(listVisitedPartitions(plan).size, `${text}\n\n${plan.join("\n")}`).toBeLessThanOrEqual(1);
  });
});
