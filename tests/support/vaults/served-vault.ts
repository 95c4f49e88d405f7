import { createHash } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { formatUri } from "@pdpp/evidence/handles/uri";
import { serve } from "@pdpp/server/main";
import { openStore } from "@pdpp/server/store/store";
import type { TestVault } from "./new-vault.ts";
import { buildMessage, createSample, everything, putRecords } from "./sample.ts";

/** The real server on a socket, over the sample vault, with a grant for an agent. */
export interface ServedVault {
  readonly url: string;
  readonly token: string;
  /** A one-time sign-in link. */
  readonly signInUrl: string;
  /** An empty home folder, to hide the developer's own credentials. */
  readonly home: string;
  readonly recordUri: string;
  readonly blobUri: string;
  close(): Promise<void>;
}

const bytes = Buffer.from("a small file");
const sha256 = createHash("sha256").update(bytes).digest("hex");
const blobId = `blob_sha256_${sha256}`;

export async function serveSampleVault(): Promise<ServedVault> {
  const home = mkdtempSync(join(tmpdir(), "pdpp-mcp-"));
  const dataDir = join(home, "vault");
  const store = await openStore({ dataDir });
  const vault = { store, dataDir } as TestVault;
  const world = await createSample(vault);
  const token = await world.grant(everything);
  await world.call(world.ownerToken, "/v1/blobs?mime_type=application/pdf", { method: "POST", body: bytes });
  const blob = { blob_id: blobId, mime_type: "application/pdf", size_bytes: bytes.length, sha256 };
  await putRecords(vault, "chat_home", "messages", [buildMessage("m123", 50, { blob_ref: blob })]);
  await store.close();
  const running = await serve({ dataDir, port: 0, host: "127.0.0.1" });
  return {
    url: running.url.replace(/\/$/, ""),
    token,
    signInUrl: running.signInUrl,
    home,
    recordUri: formatUri({
      kind: "record",
      name: { connectionId: "chat_home", stream: "messages", recordId: "m123" },
    }),
    blobUri: formatUri({ kind: "blob", name: { connectionId: "chat_home", blobId } }),
    async close() {
      await running.close();
      rmSync(home, { recursive: true, force: true });
    },
  };
}
