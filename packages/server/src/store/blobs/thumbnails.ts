import { PdppError } from "@pdpp/contract/errors";
import {
  createThumbnailMaker,
  defaultThumbnailMaker,
  maxPictureBytes,
  type ThumbnailMaker,
} from "@pdpp/importers/thumbnails";
import type { Engine } from "../engine/engine.ts";
import { sql } from "../engine/sql.ts";

/**
 * Small copies of pictures and first pages of documents, made when a page first shows them and then stored. A blob is identified by its digest, so its thumbnail never becomes stale.
 * They can be made again, so backups omit them and the oldest are deleted when they take too much space.
 */
export interface Thumbnails {
  /** A JPEG; undefined if the blob is neither a picture nor a document that can be shown. The caller must have checked that the blob may be read. */
  load(ownerNo: number, blob: PictureBlob): Promise<Uint8Array | undefined>;
  close(): Promise<void>;
}

export interface PictureBlob {
  readonly id: string;
  readonly sizeBytes: number;
  readonly bytes: ReadableStream<Uint8Array>;
}

/** Of one owner: about 15,000 pictures, or 5,000 documents. */
const maxStoredBytes = 256 * 1024 ** 2;
/** Bytes of a row in addition to its picture; files without a thumbnail have a row too, so that they are read once. */
const rowBytes = 200;
/** The limit is checked after this many new thumbnails. */
const checkInterval = 64;
/** Pictures that wait for the decoder, with their bytes in memory. */
const maxWaiting = 16;

export interface ThumbnailLimits {
  readonly maxStoredBytes: number;
  readonly checkInterval: number;
}

export function openThumbnails(
  engine: Engine,
  now: () => number = Date.now,
  limits: ThumbnailLimits = { maxStoredBytes, checkInterval },
): Thumbnails {
  let maker: ThumbnailMaker | undefined;
  let saved = 0;
  const underway = new Map<string, Promise<Uint8Array | undefined>>();
  const makeOnce = async (ownerNo: number, blob: PictureBlob): Promise<Uint8Array | undefined> => {
    maker ??= createThumbnailMaker(defaultThumbnailMaker);
    const made = await maker.make(new Uint8Array(await new Response(blob.bytes).arrayBuffer()));
    // A full disk must not prevent looking at pictures. The thumbnail is made again next time.
    await save(engine, ownerNo, blob.id, made, now()).catch(() => undefined);
    saved += 1;
    if (saved % limits.checkInterval === 0) await deleteOldest(engine, ownerNo, limits.maxStoredBytes).catch(() => 0);
    return made;
  };
  return {
    async load(ownerNo, blob) {
      const stored = await find(engine, ownerNo, blob.id);
      const key = `${ownerNo} ${blob.id}`;
      const making = underway.get(key);
      if (stored !== undefined || making !== undefined || blob.sizeBytes > maxPictureBytes) {
        await blob.bytes.cancel();
        return stored === undefined ? making : (stored.bytes ?? undefined);
      }
      if (underway.size >= maxWaiting) {
        await blob.bytes.cancel();
        throw new PdppError("unavailable", "too many pictures are being prepared", { retry_after_seconds: 2 });
      }
      const made = makeOnce(ownerNo, blob).finally(() => underway.delete(key));
      underway.set(key, made);
      return made;
    },
    close: async () => maker?.close(),
  };
}

const find = (engine: Engine, ownerNo: number, blobId: string): Promise<{ bytes: Uint8Array | null } | undefined> =>
  engine.read((on) =>
    on.one(sql`SELECT bytes FROM blob_thumbnail WHERE owner_no = ${ownerNo} AND blob_id = ${blobId}`),
  );

/** Stores nothing if the blob was deleted while its thumbnail was being made. */
async function save(
  engine: Engine,
  ownerNo: number,
  blobId: string,
  bytes: Uint8Array | undefined,
  now: number,
): Promise<void> {
  const size = rowBytes + (bytes?.length ?? 0);
  await engine.write((on) =>
    on.run(sql`INSERT INTO blob_thumbnail (owner_no, blob_id, bytes, size_bytes, created_at)
      SELECT owner_no, blob_id, ${bytes ?? null}, ${size}, ${now} FROM blob
      WHERE owner_no = ${ownerNo} AND blob_id = ${blobId} ON CONFLICT (owner_no, blob_id) DO NOTHING`),
  );
}

async function deleteOldest(engine: Engine, ownerNo: number, maxBytes: number): Promise<void> {
  await engine.write((on) =>
    on.run(sql`DELETE FROM blob_thumbnail WHERE owner_no = ${ownerNo} AND created_at <= (SELECT max(created_at) FROM
      (SELECT created_at, sum(size_bytes) OVER (ORDER BY created_at DESC) AS total FROM blob_thumbnail
        WHERE owner_no = ${ownerNo}) AS newest WHERE total > ${maxBytes})`),
  );
}
