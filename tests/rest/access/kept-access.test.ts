import { parseManifest } from "@pdpp/contract/manifest";
import { runPdpp } from "@pdpp/test-support/cli/run-pdpp";
import { createVault, engineNames, type TestVault } from "@pdpp/test-support/vaults/new-vault";
import { chatManifest, createSample, everything, now, type Sample } from "@pdpp/test-support/vaults/sample";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { authenticate } from "#server/auth/authenticate";
import { issueGrant, issueOwnerToken } from "#server/auth/issue";
import { createOwner } from "#server/owner/owner";
import { setTimeZone } from "#server/owner/owners";
import type { KeptScopes } from "#server/store/access/kept-scopes";
import { raw } from "#server/store/engine/sql";
import { openStore, type Store } from "#server/store/store";

const keepsNothing: KeptScopes = { find: () => undefined, keep: () => undefined };
const hour = 3_600_000;

describe.each(engineNames)("[AUT-22] access that is kept between requests, on %s", (engine) => {
  let vault: TestVault;
  let world: Sample;
  /** The vault as another process has it open. */
  let other: Store;
  beforeEach(async () => {
    vault = await createVault(engine);
    world = await createSample(vault);
    other = await openStore({ dataDir: vault.dataDir, ...databaseOf(vault) });
  });
  afterEach(async () => {
    await other.close();
    await vault.drop();
  });

  const databaseOf = ({ databaseUrl }: TestVault) => (databaseUrl === undefined ? {} : { databaseUrl });
  const openOwner = (at = now) => createOwner({ store: other, ownerNo: 1, now: () => at });
  /** What a request gets, without what says only how recent it is. */
  const ask = async (token: string, store = vault.store, at = now): Promise<unknown> => {
    try {
      const { viewpoint: _, ...scope } = await authenticate(store, token, at);
      return scope;
    } catch (error) {
      return (error as { code: string }).code;
    }
  };
  const askAnew = (token: string, at = now): Promise<unknown> =>
    ask(token, { ...vault.store, keptScopes: keepsNothing }, at);
  const getGrantId = async (token: string): Promise<string> => (await authenticate(other, token, now)).grantIds[0]!;

  const changes: Record<string, (grantId: string) => Promise<unknown>> = {
    "a grant is revoked": async (id) => openOwner().grants.revoke(id),
    "a grant is narrowed": async (id) =>
      openOwner().grants.narrow(id, {
        sources: [{ connector_key: "chat", streams: [{ name: "messages", fields: ["id", "text"] }] }],
      }),
    "a grant gets an earlier end": async (id) =>
      openOwner().grants.narrow(id, { expires_at: new Date(now + hour).toISOString() }),
    "a connection is removed": async () => openOwner().connections.remove("chat_home"),
    "a connection is renamed": async () => openOwner().connections.rename("chat_home", "New name"),
    "a connection is added": async () =>
      openOwner().connections.add({ connector_key: "chat", connection_id: "chat_new" }),
    "a manifest changes": async () => {
      const [messages, ...rest] = chatManifest.streams as { schema: object }[];
      const changed = { ...chatManifest, version: "2.0.0", streams: [{ ...messages, views: [] }, ...rest] };
      await other.register(parseManifest(changed as never), now);
    },
    "the owner's time zone changes": () => setTimeZone(other, 1, "Asia/Tokyo", now),
    "a token is deleted": () => other.engine.write((on) => on.run(raw("DELETE FROM token"))),
    "a connection is deleted": () => other.engine.write((on) => on.run(raw("DELETE FROM connection"))),
    "a grant is deleted": () => other.engine.write((on) => on.run(raw("DELETE FROM access_grant"))),
  };

  it.each(Object.entries(changes))("holds no longer when %s by another process", async (_, change) => {
    const token = await world.grant(everything);
    const { token: ownerToken } = await issueOwnerToken(vault.store, 1, "script", now, null);
    const before = [await ask(token), await ask(ownerToken)];
    expect([await ask(token), await ask(ownerToken)]).toEqual(before);
    await change(await getGrantId(token));
    const after = [await ask(token), await ask(ownerToken)];
    expect(after).not.toEqual(before);
    expect(after).toEqual([await askAnew(token), await askAnew(ownerToken)]);
  });

  it("holds no longer when `pdpp grant revoke` has ended", async () => {
    const token = await world.grant(everything);
    for (let n = 0; n < 2; n += 1) expect((await world.call(token, "/v1/streams")).status).toBe(200);
    const database = vault.databaseUrl === undefined ? [] : ["--database-url", vault.databaseUrl];
    const revoked = await runPdpp([
      "grant",
      "revoke",
      await getGrantId(token),
      "--data-dir",
      vault.dataDir,
      ...database,
    ]);
    expect([revoked.code, revoked.stderr]).toEqual([0, ""]);
    expect((await world.call(token, "/v1/streams")).status).toBe(403);
  });

  it("ends with the first of its grants, at that time", async () => {
    const source = (name: string) => ({ connector_key: "chat", streams: [{ name }] });
    const { token } = await issueGrant(
      vault.store,
      1,
      { ...everything, sources: [source("messages"), source("channels")] },
      now,
    );
    const [short] = (await openOwner().grants.list()).map(({ grant_id }) => grant_id);
    await other.engine.write((on) =>
      on.run(raw(`UPDATE access_grant SET expires_at = ${now + hour} WHERE grant_id = '${short}'`)),
    );
    for (const at of [now, now + hour - 1])
      expect(await ask(token, vault.store, at)).toEqual(await askAnew(token, now));
    const later = await ask(token, vault.store, now + hour);
    expect(later).toMatchObject({ grantIds: [expect.not.stringMatching(short!)] });
  });

  it("stays ended when the clock is set back, whoever has seen the end", async () => {
    const token = await world.grant({ ...everything, expires_at: new Date(now + hour).toISOString() });
    expect(await ask(token)).toMatchObject({ client: "test" });
    expect(await ask(token, other, now + hour)).toBe("grant_expired");
    expect(await ask(token)).toBe("grant_expired");
  });

  it("does not begin with a change that is rolled back", async () => {
    const token = await world.grant(everything);
    const before = await ask(token);
    const undone = other.engine.write(async (on) => {
      await on.run(raw("DELETE FROM access_grant"));
      throw new Error("undone");
    });
    await expect(undone).rejects.toThrow("undone");
    expect(await ask(token)).toEqual(before);
  });
});

it("[AUT-22] uses a scope again as long as only records and log entries are written", async () => {
  const vault = await createVault("sqlite");
  try {
    const world = await createSample(vault);
    const token = await world.grant(everything);
    const first = await authenticate(vault.store, token, now);
    await world.call(token, "/v1/streams/messages/records");
    await vault.store.log.flush();
    expect(await authenticate(vault.store, token, now)).toBe(first);
  } finally {
    await vault.drop();
  }
});
