import { createHash, randomUUID } from "node:crypto";
import { createReadStream } from "node:fs";
import { mkdir, open, rename, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { Readable } from "node:stream";
import type { BlobRef } from "@pdpp/contract/wire";
import type { Engine, ReadTransaction } from "../engine/engine.ts";
import { aliasColumns, sql } from "../engine/sql.ts";

/** Blobs, addressed by their digest: files next to an embedded vault, chunks in a shared database. */

export interface StoredBlob {
  readonly blobId: string;
  readonly mimeType: string;
  readonly sizeBytes: number;
}

export interface BlobBytes {
  put(ownerNo: number, bytes: AsyncIterable<Uint8Array>): Promise<{ sha256: string; sizeBytes: number }>;
  remove(ownerNo: number, blobId: string): Promise<void>;
  read(ownerNo: number, blobId: string, first: number, last: number): ReadableStream<Uint8Array>;
}

const formatBlobId = (sha256: string): string => `blob_sha256_${sha256}`;

export async function putBlob(
  engine: Engine,
  store: BlobBytes,
  ownerNo: number,
  bytes: AsyncIterable<Uint8Array>,
  mimeType: string,
  now: number,
): Promise<BlobRef & { readonly isNew: boolean }> {
  const { sha256, sizeBytes } = await store.put(ownerNo, bytes);
  const blobId = formatBlobId(sha256);
  const isNew = await engine.write(async (on) => {
    const held = await loadBlobMetadata(on, ownerNo, blobId);
    await on.run(sql`INSERT INTO blob (owner_no, blob_id, mime_type, size_bytes, created_at)
      VALUES (${ownerNo}, ${blobId}, ${mimeType}, ${sizeBytes}, ${now}) 
      ON CONFLICT (owner_no, blob_id) DO UPDATE SET created_at = ${now}`);
    return held === undefined;
  });
  return { blob_id: blobId, mime_type: mimeType, size_bytes: sizeBytes, sha256, isNew };
}

export const loadBlobMetadata = (
  on: ReadTransaction,
  ownerNo: number,
  blobId: string,
): Promise<StoredBlob | undefined> =>
  on.one(sql`SELECT ${aliasColumns("blob_id, mime_type, size_bytes")} FROM blob
    WHERE owner_no = ${ownerNo} AND blob_id = ${blobId}`);

export async function deleteUnusedBlobs(
  engine: Engine,
  store: BlobBytes,
  ownerNo: number,
  before: number,
): Promise<void> {
  const unused = await engine.write(async (on) => {
    const rows = await on.all<{ blob_id: string }>(sql`SELECT blob_id FROM blob
      WHERE owner_no = ${ownerNo} AND created_at < ${before} AND NOT EXISTS
        (SELECT 1 FROM blob_use WHERE blob_use.owner_no = blob.owner_no AND blob_use.blob_id = blob.blob_id)`);
    for (const { blob_id } of rows) {
      await on.run(sql`DELETE FROM blob WHERE owner_no = ${ownerNo} AND blob_id = ${blob_id}`);
      await on.run(sql`DELETE FROM blob_text WHERE owner_no = ${ownerNo} AND blob_id = ${blob_id}`);
      await on.run(sql`DELETE FROM blob_thumbnail WHERE owner_no = ${ownerNo} AND blob_id = ${blob_id}`);
    }
    return rows;
  });
  for (const { blob_id } of unused) await store.remove(ownerNo, blob_id);
}

async function* digestBytes(bytes: AsyncIterable<Uint8Array>, done: (sha256: string, size: number) => void) {
  const hash = createHash("sha256");
  let size = 0;
  for await (const chunk of bytes) {
    hash.update(chunk);
    size += chunk.byteLength;
    yield chunk;
  }
  done(hash.digest("hex"), size);
}

export function createFileBlobs(directory: string): BlobBytes {
  const getFile = (blobId: string) => {
    const digest = blobId.slice("blob_sha256_".length);
    return join(directory, digest.slice(0, 2), digest);
  };
  return {
    async put(_ownerNo, bytes) {
      await mkdir(directory, { recursive: true, mode: 0o700 });
      const partialFile = join(directory, `.part-${randomUUID()}`);
      let result = { sha256: "", sizeBytes: 0 };
      try {
        const file = await open(partialFile, "wx", 0o600);
        try {
          for await (const chunk of digestBytes(bytes, (sha256, sizeBytes) => {
            result = { sha256, sizeBytes };
          })) {
            await file.writeFile(chunk);
          }
          await file.sync();
        } finally {
          await file.close();
        }
        const whole = getFile(formatBlobId(result.sha256));
        await mkdir(dirname(whole), { recursive: true, mode: 0o700 });
        await rename(partialFile, whole);
      } catch (error) {
        await rm(partialFile, { force: true });
        throw error;
      }
      return result;
    },
    remove: (_ownerNo, blobId) => rm(getFile(blobId), { force: true }),
    read(_ownerNo, blobId, first, last) {
      if (last < first) return new Blob([]).stream() as ReadableStream<Uint8Array>;
      return Readable.toWeb(
        createReadStream(getFile(blobId), { start: first, end: last }),
      ) as ReadableStream<Uint8Array>;
    },
  };
}

const chunkBytes = 256 * 1024;

/** Splits a stream into chunks of equal size, so that a range can be located by arithmetic. */
async function* splitIntoChunks(bytes: AsyncIterable<Uint8Array>): AsyncIterable<Uint8Array> {
  let held = Buffer.alloc(0);
  for await (const chunk of bytes) {
    held = Buffer.concat([held, chunk]);
    while (held.length >= chunkBytes) {
      yield held.subarray(0, chunkBytes);
      held = held.subarray(chunkBytes);
    }
  }
  if (held.length > 0) yield held;
}

export function createDatabaseBlobs(engine: Engine): BlobBytes {
  return {
    async put(ownerNo, bytes) {
      const half = `part_${randomUUID()}`;
      let result = { sha256: "", sizeBytes: 0 };
      let n = 0;
      const passed = digestBytes(bytes, (sha256, sizeBytes) => {
        result = { sha256, sizeBytes };
      });
      try {
        for await (const chunk of splitIntoChunks(passed)) {
          const at = n++;
          await engine.write((on) => on.run(sql`INSERT INTO blob_chunk VALUES (${ownerNo}, ${half}, ${at}, ${chunk})`));
        }
      } catch (error) {
        await engine.write((on) =>
          on.run(sql`DELETE FROM blob_chunk WHERE owner_no = ${ownerNo} AND blob_id = ${half}`),
        );
        throw error;
      }
      const blobId = formatBlobId(result.sha256);
      const settle = () =>
        engine.write(async (on) => {
          const held = await on.one(
            sql`SELECT n FROM blob_chunk WHERE owner_no = ${ownerNo} AND blob_id = ${blobId} LIMIT 1`,
          );
          if (held) await on.run(sql`DELETE FROM blob_chunk WHERE owner_no = ${ownerNo} AND blob_id = ${half}`);
          else
            await on.run(
              sql`UPDATE blob_chunk SET blob_id = ${blobId} WHERE owner_no = ${ownerNo} AND blob_id = ${half}`,
            );
        });
      // A concurrent upload of the same bytes may commit first; the second attempt finds its chunks.
      await settle().catch(settle);
      return result;
    },
    async remove(ownerNo, blobId) {
      await engine.write((on) =>
        on.run(sql`DELETE FROM blob_chunk WHERE owner_no = ${ownerNo} AND blob_id = ${blobId}`),
      );
    },
    read(ownerNo, blobId, first, last) {
      let n = Math.floor(first / chunkBytes);
      return new ReadableStream<Uint8Array>({
        async pull(controller) {
          if (n * chunkBytes > last) return controller.close();
          const row = await engine.read((on) =>
            on.one<{ bytes: Uint8Array }>(
              sql`SELECT bytes FROM blob_chunk WHERE owner_no = ${ownerNo} AND blob_id = ${blobId} AND n = ${n}`,
            ),
          );
          if (row === undefined) return controller.error(new Error(`blob ${blobId} lacks chunk ${n}`));
          const start = n * chunkBytes;
          controller.enqueue(
            row.bytes.subarray(Math.max(0, first - start), Math.min(row.bytes.length, last + 1 - start)),
          );
          n += 1;
        },
      });
    },
  };
}
