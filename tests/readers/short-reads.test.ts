import { setTimeout as wait } from "node:timers/promises";
import type { GrantRequest } from "@pdpp/contract/grant";
import { createVault, engineNames, type TestVault } from "@pdpp/test-support/vaults/new-vault";
import { buildMessage, createSample, everything, now, origin, putRecords } from "@pdpp/test-support/vaults/sample";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createApp } from "#server/app";
import { createReadingThreads, type ReadingThreads, type ThreadLimits } from "#server/http/threads/reading-threads";

const chatAndShop: GrantRequest = {
  ...everything,
  sources: [...everything.sources, { connector_key: "shop", streams: [{ name: "*" }] }],
};

const groups = "/v1/streams/messages/aggregate?metric=count&group_by=channel_id&connection_id=chat_home";
const sum = "/v1/streams/order_lines/aggregate?metric=sum&field=price";

/** A server's application with reading threads of its own. */
function openApp({ store, dataDir, databaseUrl }: TestVault, token: string, limits: Partial<ThreadLimits> = {}) {
  const place = { dataDir, secret: store.secret, ...(databaseUrl === undefined ? {} : { databaseUrl }) };
  const threads = createReadingThreads(place, limits);
  return { threads, get: createGet(createApp({ store, threads, now: () => now }), token) };
}

const createGet = (app: ReturnType<typeof createApp>, token: string) => async (path: string) => {
  const headers = { authorization: `Bearer ${token}` };
  const response = await app.fetch(new Request(`${origin}${path}`, { headers }));
  return { status: response.status, body: await response.json() };
};

describe.each(engineNames)("small reads on %s", (engine) => {
  let vault: TestVault;
  let token: string;
  beforeAll(async () => {
    vault = await createVault(engine);
    const sample = await createSample(vault);
    token = await sample.grant(chatAndShop);
    const long = (id: string, minute: number, words: number) =>
      buildMessage(id, minute, { text: "six   ".repeat(words) });
    await putRecords(vault, "chat_work", "messages", [long("mail", 100, 33_000), long("book", 101, 50_000)]);
  });
  afterAll(() => vault.drop());

  it("[FAIR-8] need no reading thread if their cost is known and small", async () => {
    const threads = {
      read: () => Promise.reject(new Error("no thread")),
      readPiece: () => Promise.reject(new Error("no thread")),
      getLoad: () => ({ busyThreads: 0, idleThreads: 0, waiting: 0 }),
      close: () => Promise.resolve(),
    } satisfies ReadingThreads;
    const get = createGet(createApp({ store: vault.store, threads, now: () => now, onBug: () => undefined }), token);
    const messages = "/v1/streams/messages";
    expect(await get(`${messages}/aggregate?metric=count&connection_id=chat_home`)).toMatchObject({
      status: 200,
      body: { value: 30 },
    });
    expect(await get(`${messages}/aggregate?metric=count&connection_id=*`)).toMatchObject({ body: { value: 52 } });
    expect(await get(`${messages}/records?count=exact&connection_id=chat_home&limit=2`)).toMatchObject({
      body: { meta: { count: { kind: "exact", value: 30 } } },
    });
    const { status, body } = await get(`${messages}/records/mail?connection_id=chat_work`);
    expect([status, JSON.stringify(body).length > 190_000]).toEqual([200, true]);
    // What is not known to be cheap belongs to a thread.
    const others = [
      `${messages}/aggregate?metric=count&connection_id=chat_home&filter[likes][gte]=3`,
      `${messages}/records?count=exact&connection_id=chat_home&filter[likes][gte]=3`,
      `${messages}/records/book?connection_id=chat_work`,
      groups,
    ];
    for (const path of others) expect([path, (await get(path)).status]).toEqual([path, 500]);
  });

  it("[FAIR-3] end with an error once they have used the processor for too long", async () => {
    const { get, threads } = openApp(vault, token, { maxCpuMs: 0 });
    try {
      expect(await get(groups)).toMatchObject({ status: 422, body: { error: { code: "query_too_heavy" } } });
    } finally {
      await threads.close();
    }
  });
});

describe("reads that wait", () => {
  let vault: TestVault;
  let token: string;
  let client: pg.Client;
  beforeAll(async () => {
    vault = await createVault("postgres");
    token = await (await createSample(vault)).grant(chatAndShop);
    client = new pg.Client(vault.databaseUrl);
    await client.connect();
  });
  afterAll(async () => {
    await client.end();
    await vault.drop();
  });

  const lockMessages = async (): Promise<void> => {
    const { streamNo } = (await vault.store.catalog()).connectors.get("chat")!.streams.get("messages")!;
    await client.query(`BEGIN; LOCK TABLE r_${streamNo} IN ACCESS EXCLUSIVE MODE`);
  };
  const waiting =
    "SELECT count(*)::int AS n FROM pg_locks JOIN pg_database AS d ON d.oid = database WHERE NOT granted AND datname = current_database()";
  const countWaiting = async (): Promise<number> => (await client.query(waiting)).rows[0].n;

  it("[FAIR-8] let short reads of the same token pass", async () => {
    // On a busy machine, a short read may take a while.
    const { get, threads } = openApp(vault, token, { longThreads: 1, maxShortMs: 3000 });
    try {
      await get(sum);
      await lockMessages();
      const answered: string[] = [];
      const heavy = Array.from({ length: 6 }, async () => {
        const { status } = await get(groups);
        answered.push("groups");
        return status;
      });
      await expect.poll(countWaiting).toBe(2);
      for (let n = 0; n < 20; n += 1) expect((await get(sum)).status).toBe(200);
      expect(answered).toEqual([]);
      await client.query("COMMIT");
      expect(await Promise.all(heavy)).toEqual(Array(6).fill(200));
    } finally {
      await threads.close();
    }
  });

  it("[FAIR-3] are answered, because only the processor's time counts", async () => {
    const maxCpuMs = 5000;
    const { get, threads } = openApp(vault, token, { maxCpuMs });
    try {
      await lockMessages();
      const asked = get(groups);
      await expect.poll(countWaiting).toBe(1);
      await wait(maxCpuMs + 500);
      await client.query("COMMIT");
      expect((await asked).status).toBe(200);
    } finally {
      await threads.close();
    }
  });
});
