import { setTimeout as wait } from "node:timers/promises";
import type { Attack } from "./attack.ts";
import { asOwner, everyNote, fillWithNotes, readRest, runOnVault, sendSlowRequest, startServing } from "./served.ts";

const noteChars = 20_000;
const noteCount = 8000;
const blobBytes = 256 * 1024 * 1024;
/** Bytes that the two sockets may have buffered before the revocation. */
const heldByTheNetwork = 12 * 1024 * 1024;

/** A slow client is in the middle of a 160 MB export when the owner revokes the grant. */
export const readingOn: Attack = {
  name: "reading on after a revocation",
  engines: ["sqlite", "postgres"],
  async run(target) {
    const { token, grantId, blobId } = await asOwner(target, async (owner) => {
      await fillWithNotes(owner, noteCount, noteChars);
      const chunk = Buffer.alloc(1024 * 1024, 1);
      const bytes = (async function* () {
        for (let sent = 0; sent < blobBytes; sent += chunk.length) yield chunk;
      })();
      const file = await owner.blobs.put({}, bytes);
      const line = (async function* () {
        yield Buffer.from(JSON.stringify({ data: { id: "a-file", file } }));
      })();
      await owner.records.ingest({ connection_id: "home", stream: "notes" }, line);
      const issued = await owner.grants.issue(everyNote);
      return { token: issued.token, grantId: issued.grants[0]?.grant_id ?? "", blobId: file.blob_id };
    });
    const server = await startServing(target);
    try {
      const exporting = sendSlowRequest(server.url, "/v1/export", token);
      const downloading = sendSlowRequest(server.url, `/v1/blobs/${blobId}`, token);
      await wait(1000);
      const revoked = await runOnVault(target, "grant", "revoke", grantId);
      await asOwner(target, (owner) =>
        owner.records.ingest(
          { connection_id: "home", stream: "notes" },
          (async function* () {
            yield Buffer.from('{"data":{"id":"zzz-after","text":"written after the revocation"}}');
          })(),
        ),
      );
      await wait(500);
      const [text, bytes] = await Promise.all([readRest(exporting), readRest(downloading)]);
      const refused = text.includes('{"error":{') && text.includes('"grant_revoked"');
      const held =
        revoked.code === 0 &&
        refused &&
        !text.includes("zzz-after") &&
        text.length < heldByTheNetwork &&
        bytes.length < heldByTheNetwork;
      const toMegabytes = (size: number) => (size / 1024 / 1024).toFixed(1);
      return {
        held,
        figure: `${toMegabytes(text.length)} of ${toMegabytes(noteChars * noteCount)} MB of the export and ${toMegabytes(bytes.length)} of ${toMegabytes(blobBytes)} MB of the file came, all of it sent before; the export ${refused ? "reports why it ended" : "does not report that it ended"}`,
      };
    } finally {
      await server.stop();
    }
  },
};
