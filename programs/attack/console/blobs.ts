import { createHash } from "node:crypto";
import { openStore } from "@pdpp/server/store/store";
import { buildMessage, everything } from "@pdpp/test-support/vaults/sample";
import { createOwner } from "#server/owner/owner";
import type { Attack } from "../attack.ts";
import { startServing, toStoreLocation } from "../served.ts";
import { createTrials } from "../trials.ts";
import { formatCookies, signIn, withSample } from "../web/visitor.ts";

/** Files with active content, declared as anything, must never run in the owner's browser. */

const script = "<script>top.location='https://evil.example'</script>";
const contents: readonly (readonly [name: string, bytes: Buffer])[] = [
  ["HTML", Buffer.from(`<!doctype html>${script}`)],
  ["SVG", Buffer.from(`<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>`)],
  [
    "XML",
    Buffer.from(
      `<?xml version="1.0"?><?xml-stylesheet href="x.xsl"?><x xmlns="http://www.w3.org/1999/xhtml">${script}</x>`,
    ),
  ],
  ["JavaScript", Buffer.from("alert(document.cookie)")],
  ["a GIF that is a script", Buffer.from(`GIF89a/*${script}*/=1;alert(1)`)],
  [
    "a PNG that is a page",
    Buffer.concat([Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]), Buffer.from(script)]),
  ],
  ["PDF", Buffer.from("%PDF-1.7\n1 0 obj<</OpenAction<</S/JavaScript/JS(app.alert(1))>>>>endobj")],
];
const types = [
  "text/html",
  "image/svg+xml",
  "application/xhtml+xml",
  "text/javascript",
  "image/png",
  "text/html\r\nx: y",
  "",
  "multipart/x-mixed-replace",
];
const images = new Set(["image/png", "image/jpeg", "image/gif", "image/webp"]);

export const activeFiles: Attack = {
  name: "serving stored files that run in a browser",
  engines: ["sqlite"],
  async run(target) {
    const token = await withSample(target, (_, sample) => sample.grant(everything));
    const files = contents.flatMap(([name, bytes]) =>
      types.map((type) => ({
        name: `${name} as ${JSON.stringify(type)}`,
        type,
        bytes: Buffer.concat([bytes, Buffer.from(type)]),
      })),
    );
    const stored: { name: string; blobId: string }[] = [];
    const store = await openStore(toStoreLocation(target));
    try {
      const owner = createOwner({ store, ownerNo: 1, now: Date.now });
      for (const [n, { name, type, bytes }] of files.entries()) {
        const file = await owner.blobs.put({ mime_type: type }, toStream(bytes)).catch(() => undefined);
        // A type that is not one is refused.
        if (file === undefined) continue;
        const declared = { ...file, mime_type: type };
        const line = Buffer.from(JSON.stringify(buildMessage(`f${n}`, n, { blob_ref: declared })));
        await owner.records.ingest({ connection_id: "chat_home", stream: "messages" }, toStream(line));
        stored.push({ name, blobId: `blob_sha256_${createHash("sha256").update(bytes).digest("hex")}` });
      }
    } finally {
      await store.close();
    }
    const server = await startServing(target);
    const trials = createTrials();
    try {
      const person = await signIn(server);
      const callers: readonly (readonly [string, string, Record<string, string>])[] = stored.flatMap(
        ({ name, blobId }) => [
          [`${name}, console`, `/file?connection=chat_home&blob=${blobId}`, { cookie: formatCookies(person) }],
          [`${name}, shown`, `/file?connection=chat_home&blob=${blobId}&show=1`, { cookie: formatCookies(person) }],
          [`${name}, REST`, `/v1/blobs/${blobId}`, { authorization: `Bearer ${token}` }],
        ],
      );
      for (const [name, path, headers] of callers) {
        const answer = await fetch(new URL(path, server.url), { headers });
        await answer.arrayBuffer();
        const policy = answer.headers.get("content-security-policy") ?? "";
        const type = answer.headers.get("content-type") ?? "";
        const isDownload = answer.headers.get("content-disposition")?.startsWith("attachment") === true;
        const isInert =
          policy.includes("default-src 'none'") &&
          policy.includes("sandbox") &&
          answer.headers.get("x-content-type-options") === "nosniff" &&
          // Other sites can't send a token, so they can't embed what REST answers.
          (path.startsWith("/v1/") || answer.headers.get("cross-origin-resource-policy") === "same-origin") &&
          (isDownload || images.has(type) || type === "application/pdf");
        trials.note(
          `${name}: ${answer.status}, ${type}, ${policy}`,
          answer.status === 200 ? isInert : answer.status < 500,
        );
      }
      return trials.conclude("files were served so that no browser runs them");
    } finally {
      await server.stop();
    }
  },
};

async function* toStream(bytes: Buffer): AsyncGenerator<Uint8Array> {
  yield bytes;
}
