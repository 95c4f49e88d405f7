import { setTimeout as wait } from "node:timers/promises";
import { createClient } from "@pdpp/contract/client";
import { createVault, surfaceEngines, type TestVault } from "@pdpp/test-support/vaults/new-vault";
import {
  buildMessage,
  createSample,
  everything,
  now,
  origin,
  putRecords,
  type Sample,
} from "@pdpp/test-support/vaults/sample";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createApp } from "#server/app";
import { issueOwnerToken } from "#server/auth/issue";
import { listGrants, revoke } from "#server/store/access/grants";
import { readAccessLog } from "#server/store/access/log/access-log";

const records = 1000;
const longText = "All is well. ".repeat(400);
const waitForCheck = () => wait(300);

describe.each(surfaceEngines)("a response that is still being sent on %s", (engine) => {
  let vault: TestVault;
  let world: Sample;
  let blobId: string;
  beforeAll(async () => {
    vault = await createVault(engine);
    world = await createSample(vault);
    const many = Array.from({ length: records }, (_, i) =>
      buildMessage(`m${String(i).padStart(4, "0")}`, i, { text: longText }),
    );
    await putRecords(vault, "chat_home", "messages", many);
    const body = Buffer.alloc(24 * 1024 * 1024, 7);
    const stored = await world.call(world.ownerToken, "/v1/blobs?mime_type=image/png", { method: "POST", body });
    const ref = (await stored.json()) as { blob_id: string };
    blobId = ref.blob_id;
    await putRecords(vault, "chat_work", "messages", [buildMessage("pic", 50, { blob_ref: ref as never })]);
  });
  afterAll(() => vault.drop());

  const startApp = (options: { maxAnswerMs?: number; now?: () => number } = {}) =>
    createApp({ store: vault.store, now: () => now, ...options });
  const open = async (token: string, path: string, server = startApp()) => {
    const response = await server.fetch(
      new Request(`${origin}${path}`, { headers: { authorization: `Bearer ${token}` } }),
    );
    expect(response.status).toBe(200);
    return response;
  };
  const getGrantId = async (token: string): Promise<string> => {
    const schema: { bearer: { grant_id: string } } = await world.json(token, "/v1/schema");
    return schema.bearer.grant_id;
  };
  const end = (id: string) => vault.store.engine.write((on) => revoke(on, 1, id, now));
  /** Reads the first chunk, runs the action, then reads the rest. */
  async function readInterrupted(response: Response, meanwhile: () => Promise<unknown>): Promise<string[]> {
    const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader();
    let text = (await reader.read()).value ?? "";
    await meanwhile();
    for (let next = await reader.read(); !next.done; next = await reader.read()) text += next.value;
    return text.trimEnd().split("\n");
  }

  it("[AUT-10] ends an export with an error line when its grant is revoked, without records written afterwards", async () => {
    const token = await world.grant(everything);
    const id = await getGrantId(token);
    const lines = await readInterrupted(await open(token, "/v1/export?connection_id=chat_home"), async () => {
      await end(id);
      await putRecords(vault, "chat_home", "messages", [buildMessage("zz-after", 60)]);
      await waitForCheck();
    });
    expect(JSON.parse(lines.at(-1)!)).toMatchObject({
      error: { code: "grant_revoked", request_id: expect.any(String) },
    });
    expect(lines.length).toBeLessThan(200);
    expect(lines.some((line) => line.includes("zz-after"))).toBe(false);
    expect(lines.slice(0, -1).every((line) => line.startsWith('{"object":"record"'))).toBe(true);
    await vault.store.log.flush();
    const bytes = Buffer.byteLength(`${lines.join("\n")}\n`);
    expect((await readLog(vault)).at(-1)).toMatchObject({ operation: "export", status: 403, bytes });
  });

  it("[AUT-10] ends an export when its grant expires, and an owner's when its token is revoked", async () => {
    let clock = now;
    const token = await world.grant({ ...everything, expires_at: "2026-06-01T13:00:00Z" });
    const server = startApp({ now: () => clock });
    const expired = await readInterrupted(await open(token, "/v1/export?connection_id=chat_home", server), async () => {
      clock += 3_600_000;
      await waitForCheck();
    });
    expect(JSON.parse(expired.at(-1)!)).toMatchObject({ error: { code: "grant_expired" } });
    const own = await issueOwnerToken(vault.store, 1, "brief", now, null);
    const revoked = await readInterrupted(await open(own.token, "/v1/export?connection_id=chat_home"), async () => {
      await end(own.token_id);
      await waitForCheck();
    });
    expect(JSON.parse(revoked.at(-1)!)).toMatchObject({ error: { code: "authentication_error" } });
  });

  it("[AUT-10] ends an export under a package when one of its grants is revoked", async () => {
    const token = await world.grant({
      client: { name: "both" },
      sources: [...everything.sources, { connector_key: "shop", streams: [{ name: "*" }] }],
    });
    const held = await vault.store.engine.read((on) => listGrants(on, 1));
    const shop = held
      .filter(({ grant }) => grant.client.name === "both")
      .find(({ grant }) => grant.connector_key === "shop");
    const lines = await readInterrupted(await open(token, "/v1/export"), async () => {
      await end(shop!.grant.grant_id);
      await waitForCheck();
    });
    expect(JSON.parse(lines.at(-1)!)).toMatchObject({ error: { code: "grant_revoked" } });
  });

  it("[AUT-10] aborts a blob when its grant is revoked", async () => {
    const token = await world.grant(everything);
    const id = await getGrantId(token);
    const response = await open(token, `/v1/blobs/${blobId}`);
    const reader = response.body!.getReader();
    let size = (await reader.read()).value!.byteLength;
    await end(id);
    await waitForCheck();
    const readRest = async () => {
      for (let next = await reader.read(); !next.done; next = await reader.read()) size += next.value.byteLength;
    };
    await expect(readRest()).rejects.toThrow("revoked");
    expect(size).toBeLessThan(4 * 1024 * 1024);
    await vault.store.log.flush();
    expect((await readLog(vault)).at(-1)).toMatchObject({ operation: "readBlob", status: 403, bytes: size });
  });

  it("[AUT-10] ends a response at a maximum age, even if the client has stopped reading", async () => {
    const token = await world.grant(everything);
    const lines = await readInterrupted(
      await open(token, "/v1/export?connection_id=chat_home", startApp({ maxAnswerMs: 1000 })),
      () => wait(1100),
    );
    expect(JSON.parse(lines.at(-1)!)).toMatchObject({
      error: { code: "resource_limit", message: expect.stringContaining("after=") },
    });
    const stalled = await open(token, "/v1/export?connection_id=chat_home", startApp({ maxAnswerMs: 1000 }));
    const reader = stalled.body!.getReader();
    await reader.read();
    const countEnded = async () => {
      await vault.store.log.flush();
      return (await readLog(vault)).filter(({ operation, status }) => operation === "export" && status === 413).length;
    };
    await expect.poll(countEnded).toBe(2);
    await expect(reader.read()).rejects.toThrow("takes");
  });

  it("[AUT-10] distinguishes the error line from a record in the client", async () => {
    const token = await world.grant(everything);
    const id = await getGrantId(token);
    const server = startApp();
    const client = createClient({
      url: origin,
      token,
      fetch: (url, init) => Promise.resolve(server.fetch(new Request(url as URL, init))),
    });
    let count = 0;
    const walk = async () => {
      for await (const record of client.export({ connection_id: "chat_home" })) {
        expect(record.object).toBe("record");
        count += 1;
        if (count === 1) {
          await end(id);
          await waitForCheck();
        }
      }
    };
    await expect(walk()).rejects.toMatchObject({ code: "grant_revoked" });
    expect(count).toBeLessThan(200);
  });
});

async function readLog(vault: TestVault) {
  return vault.store.engine.read((on) => readAccessLog(on, 1, { limit: 1000 }));
}
