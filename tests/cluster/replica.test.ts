import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseManifest } from "@pdpp/contract/manifest";
import { runPdpp } from "@pdpp/test-support/cli/run-pdpp";
import { type CountingProxy, startCountingProxy } from "@pdpp/test-support/postgres/counting-proxy";
import { type PostgresServer, startPostgres } from "@pdpp/test-support/postgres/embedded-postgres";
import { type ReplicaServer, startReplica } from "@pdpp/test-support/postgres/replica";
import type { TestVault } from "@pdpp/test-support/vaults/new-vault";
import {
  buildMessage,
  chatManifest,
  createSample,
  everything,
  now,
  putRecords,
  type Sample,
} from "@pdpp/test-support/vaults/sample";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createApp } from "#server/app";
import { createOwner } from "#server/owner/owner";
import { openStore, type Store } from "#server/store/store";

const record = "/v1/streams/messages/records/h05?connection_id=chat_home&fields=id,text";
const newest = "/v1/streams/messages/records?connection_id=chat_home&limit=1";

describe("a streaming replica", () => {
  let primary: PostgresServer;
  let replica: ReplicaServer;
  let toPrimary: CountingProxy;
  let toReplica: CountingProxy;
  let store: Store;
  let sample: Sample;
  let token: string;
  const errors: unknown[] = [];
  const dataDir = mkdtempSync(join(tmpdir(), "pdpp-replica-"));
  const put = (id: string, minute: number) =>
    putRecords({ store, dataDir } as TestVault, "chat_home", "messages", [buildMessage(id, minute)]);
  beforeAll(async () => {
    primary = await startPostgres("-c", "fsync=off", "-c", "synchronous_commit=off");
    await primary.createDatabase("vault");
    await primary.createDatabase("other");
    replica = await startReplica(primary);
    toPrimary = await startCountingProxy(`${primary.url}/vault`);
    toReplica = await startCountingProxy(`${replica.url}/vault`);
    const location = { dataDir, databaseUrl: toPrimary.url, databaseReadUrl: toReplica.url };
    store = await openStore(location, (error) => errors.push(error));
    sample = await createSample({ store, dataDir } as TestVault);
    token = await sample.grant(everything);
  });
  afterAll(async () => {
    await store.close();
    await toPrimary.close();
    await toReplica.close();
    await replica.stop();
    await primary.stop();
    rmSync(dataDir, { recursive: true, force: true });
  });

  const read = async (path: string): Promise<string> => {
    const response = await sample.call(token, path);
    expect([response.status, path]).toEqual([200, path]);
    return response.text();
  };
  const readsRecords = (statement: string) => /FROM r_\d+/.test(statement);
  /** Where the records of a read came from. */
  const locate = async (path: string) => {
    toPrimary.take();
    toReplica.take();
    const body = await read(path);
    const [fromPrimary, fromReplica] = [toPrimary.take().statements, toReplica.take().statements];
    return {
      body,
      place: fromReplica.some(readsRecords) ? "replica" : "primary",
      isExclusive: fromPrimary.some(readsRecords) !== fromReplica.some(readsRecords),
      authenticatedBy: fromPrimary.some((text) => text.includes("token_hash")) ? "primary" : "replica",
    };
  };
  const waitForReplica = (path = record) => expect.poll(async () => (await locate(path)).place).toBe("replica");

  it("[SCL-3] serves records, and the primary decides who reads them", async () => {
    await waitForReplica();
    expect(await locate(record)).toMatchObject({ place: "replica", isExclusive: true, authenticatedBy: "primary" });
    expect(await locate("/v1/search?q=h07")).toMatchObject({ place: "replica", authenticatedBy: "primary" });
  });

  it("[SCL-3] is not used for what it has not applied yet", async () => {
    await waitForReplica();
    await replica.pauseReplay();
    try {
      await put("late", 1000);
      expect(await locate(newest)).toMatchObject({ place: "primary", body: expect.stringContaining('"late"') });
      const [messages, ...others] = chatManifest.streams as { schema: { properties: object } }[];
      const schema = { ...messages!.schema, properties: { ...messages!.schema.properties, mood: { type: "string" } } };
      const changed = { ...chatManifest, version: "1.1.0", streams: [{ ...messages, schema }, ...others] };
      await store.register(parseManifest(changed), now);
      await store.reindex();
      const owner = createOwner({ store, ownerNo: 1, now: () => now });
      const known = new Set((await owner.grants.list()).map(({ grant_id }) => grant_id));
      const doomed = await sample.grant(everything);
      // A column that the replica does not have yet.
      expect((await sample.call(doomed, `${newest}&filter[mood]=calm`)).status).toBe(200);
      for (const { grant_id } of (await owner.grants.list()).filter((grant) => !known.has(grant.grant_id)))
        await owner.grants.revoke(grant_id);
      expect((await sample.call(doomed, record)).status).toBe(403);
    } finally {
      await replica.resumeReplay();
    }
    await waitForReplica(newest);
    expect(await read(newest)).toContain('"late"');
  });

  it("[SCL-5] is not used if it belongs to another vault", async () => {
    const other = await openStore({ dataDir, databaseUrl: `${primary.url}/other` });
    await other.close();
    const reported: unknown[] = [];
    const location = { dataDir, databaseUrl: toPrimary.url, databaseReadUrl: `${replica.url}/other` };
    const mixed = await openStore(location, (error) => reported.push(error));
    try {
      const app = createApp({ store: mixed, now: () => now });
      for (let n = 0; n < 3; n += 1) {
        const request = new Request(`http://127.0.0.1:7663${record}`, {
          headers: { authorization: `Bearer ${token}` },
        });
        expect((await app.fetch(request)).status).toBe(200);
      }
      expect(reported).toHaveLength(1);
    } finally {
      await mixed.close();
    }
  });

  it("[SCL-4] ends a server that is given the replica as its database", async () => {
    await waitForReplica();
    const { code, stderr } = await runPdpp([
      ...["serve", "--port", "0", "--data-dir", dataDir, "--database-url", `${replica.url}/vault`],
    ]);
    expect([code, stderr]).toEqual([1, expect.stringContaining("the database is read-only")]);
  });

  it("[SCL-4] makes a server not ready when its vault is closed", async () => {
    const closed = await openStore({ dataDir, databaseUrl: toPrimary.url });
    const app = createApp({ store: closed });
    await closed.close();
    expect((await app.fetch(new Request("http://127.0.0.1:7663/readyz"))).status).toBe(503);
  });

  it("[SCL-5] may stop or be promoted while records are read", async () => {
    await waitForReplica();
    errors.length = 0;
    let isOver = false;
    const load = Array.from({ length: 4 }, async () => {
      while (!isOver) await read(record);
    });
    await replica.promote();
    // A write that the former replica does not have.
    await put("after", 2000);
    expect(await locate(newest)).toMatchObject({ place: "primary", body: expect.stringContaining('"after"') });
    await replica.stop();
    for (let n = 0; n < 20; n += 1) await read(record);
    isOver = true;
    await Promise.all(load);
    expect(errors.length).toBeLessThanOrEqual(1);
  });
});
