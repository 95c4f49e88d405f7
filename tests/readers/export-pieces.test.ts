import type { OwnerApi } from "@pdpp/contract/owner";
import { createOwner } from "@pdpp/server/owner/owner";
import { connectNotes, generateNotes, place } from "@pdpp/test-support/vaults/many-notes";
import { createVault, engineNames, type TestVault } from "@pdpp/test-support/vaults/new-vault";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createApp } from "#server/app";
import { issueGrant } from "#server/auth/issue";
import { createReadingThreads, type PieceAnswer, type ReadingThreads } from "#server/http/threads/reading-threads";

const origin = "http://127.0.0.1:7663";
const everyNote = {
  client: { name: "reader" },
  sources: [{ connector_key: "notes", streams: [{ name: "*" }] }],
};
const notes = 2000;
const largeChars = 3_000_000;
/** A page of ordinary records, or four megabytes of large ones and the one that exceeds them. */
const maxPieceBytes = 4 * 1024 * 1024 + largeChars + 1000;

describe.each(engineNames)("an export on %s", (engine) => {
  let vault: TestVault;
  let threads: ReadingThreads;
  let owner: OwnerApi;
  const pieces: PieceAnswer[] = [];
  beforeAll(async () => {
    vault = await createVault(engine);
    const { dataDir, databaseUrl, store } = vault;
    owner = await connectNotes(store);
    await owner.records.ingest(place, generateNotes(notes));
    const large = (async function* () {
      for (let n = 0; n < 6; n += 1)
        yield Buffer.from(`${JSON.stringify({ data: { id: `large${n}`, body: "long ".repeat(largeChars / 5) } })}\n`);
    })();
    await owner.records.ingest(place, large);
    const real = createReadingThreads({ dataDir, ...(databaseUrl === undefined ? {} : { databaseUrl }) });
    threads = {
      ...real,
      async readPiece(...asked) {
        const piece = await real.readPiece(...asked);
        pieces.push(piece);
        return piece;
      },
    };
  });
  afterAll(async () => {
    await threads.close();
    await vault.drop();
  });

  const ask = (token: string, withThreads: boolean, query = ""): Promise<Response> =>
    Promise.resolve(
      createApp({ store: vault.store, ...(withThreads ? { threads } : {}) }).fetch(
        new Request(`${origin}/v1/export${query}`, { headers: { authorization: `Bearer ${token}` } }),
      ),
    );

  const readLastEntry = async () => {
    await vault.store.log.flush();
    const [entry] = await createOwner({ store: vault.store, ownerNo: 1, now: Date.now }).log.read({ limit: 1 });
    return entry;
  };

  it("[FAIR-2] is read in pieces by reading threads, and the same", async () => {
    const { token } = await issueGrant(vault.store, 1, everyNote, Date.now());
    const here = await (await ask(token, false)).text();
    const entryHere = await readLastEntry();
    pieces.length = 0;
    const there = await (await ask(token, true)).text();
    const entryThere = await readLastEntry();
    expect(there === here).toBe(true);
    expect(here.split("\n").length).toBe(notes + 6 + 1);
    expect(pieces.length).toBeGreaterThan(5);
    expect(Math.max(...pieces.map(({ bytes }) => bytes.byteLength))).toBeLessThan(maxPieceBytes);
    for (const { bytes } of pieces) if (bytes.byteLength > 0) expect(bytes.at(-1)).toBe(10);
    expect(pieces.reduce((sum, { disclosures }) => sum + (disclosures[0]?.records ?? 0), 0)).toBe(notes + 6);
    const pick = (entry: typeof entryHere) => ({ ...entry, entry: 0, at: "", ended_at: "", request_id: "", hash: "" });
    expect(pick(entryThere)).toEqual(pick(entryHere));
    expect(entryThere).toMatchObject({ operation: "export", records: notes + 6, outcome: "finished" });
  });

  it("[FAIR-2] continues after a record, and refuses what is wrong before it answers", async () => {
    const { token } = await issueGrant(vault.store, 1, everyNote, Date.now());
    const query = `?after=${encodeURIComponent("home/notes:k1998")}`;
    expect(await (await ask(token, true, query)).text()).toBe(await (await ask(token, false, query)).text());
    const refused = await ask(token, true, "?after=nothing");
    expect([refused.status, await refused.json()]).toMatchObject([400, { error: { code: "invalid_cursor" } }]);
  });

  it("[AUT-10] ends with an error line when the grant is revoked between two pieces", async () => {
    const { token, grants } = await issueGrant(vault.store, 1, everyNote, Date.now());
    pieces.length = 0;
    const answer = await ask(token, true);
    await owner.grants.revoke(grants[0]?.grant_id ?? "");
    const lines = (await answer.text()).trimEnd().split("\n");
    expect(pieces.length).toBeLessThan(3);
    expect(JSON.parse(lines.at(-1) ?? "")).toMatchObject({ error: { code: "grant_revoked" } });
    expect(await readLastEntry()).toMatchObject({ operation: "export", outcome: "cut" });
  });
});
