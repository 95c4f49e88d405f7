import { z } from "zod";
import { createBoundedWorker, type WorkerOptions } from "../core/workers/bounded-worker.ts";
import type { ThumbnailTask } from "./thumbnail-worker.ts";

/** Makes small JPEG pictures of large ones and of documents. Files are untrusted: WebAssembly decodes them, in a process with limits. */
export interface ThumbnailMaker {
  /** Undefined if there is no way to show this file as a picture. */
  make(bytes: Uint8Array): Promise<Uint8Array | undefined>;
  close(): Promise<void>;
}

/** Files with more bytes are not read at all. */
export const maxPictureBytes = 32 * 1024 ** 2;
/** Phones take pictures of up to 50 megapixels. Decoded, they need four bytes per pixel, twice. */
const maxPixels = 52_000_000;
/** The memory of decoders never shrinks, so an idle process is closed. */
const idleMs = 20_000;

export const defaultThumbnailMaker: WorkerOptions = {
  module: new URL("./thumbnail-worker.ts", import.meta.url),
  bounds: { maxTaskMs: 8_000, maxHeapMb: 128, maxMemoryMb: 1000 },
};

export function createThumbnailMaker(options: WorkerOptions): ThumbnailMaker {
  const worker = createBoundedWorker<ThumbnailTask, Uint8Array>(options, z.instanceof(Uint8Array));
  let pending = 0;
  let idle: NodeJS.Timeout | undefined;
  return {
    async make(bytes) {
      if (bytes.length > maxPictureBytes) return undefined;
      clearTimeout(idle);
      pending += 1;
      try {
        return await worker.run({ bytes, maxPixels });
      } catch {
        // Damaged, hostile, or of a format that no decoder here reads.
        return undefined;
      } finally {
        pending -= 1;
        if (pending === 0) idle = setTimeout(() => void worker.close(), idleMs).unref();
      }
    },
    async close() {
      clearTimeout(idle);
      await worker.close();
    },
  };
}
