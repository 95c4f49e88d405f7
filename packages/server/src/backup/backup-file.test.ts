import { randomBytes } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { constants, zstdCompressSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openStore } from "../store/store.ts";
import { createBackup, verifyBackup } from "./backup.ts";
import { requireOneFrame } from "./zstd-frame.ts";

const folder = mkdtempSync(join(tmpdir(), "pdpp-trailing-"));
beforeAll(async () => (await openStore({ dataDir: join(folder, "vault") })).close());
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Decompressors skip such a frame without a word. */
const skippableFrame = Buffer.concat([Buffer.from([0x50, 0x2a, 0x4d, 0x18, 5, 0, 0, 0]), Buffer.from("extra")]);

/** Node ends a compressed stream with such a frame, so a backup has one. */
const emptyFrame = Buffer.from("28b52ffd240001000099e9d851", "hex");

const location = { dataDir: join(folder, "vault") };

async function verifyAppended(name: string, appended: Uint8Array, passphrase?: string): Promise<unknown> {
  const file = join(folder, `${name}.pdpp`);
  await createBackup(location, file, { passphrase });
  const whole = readFileSync(file);
  writeFileSync(file, Buffer.concat([whole, appended]));
  return verifyBackup(file, { passphrase });
}

describe("a backup", () => {
  it.each([
    ["text", Buffer.from("more")],
    ["one byte", Buffer.from("x")],
    ["zeros", Buffer.alloc(100_000)],
    ["an empty frame", emptyFrame],
    ["13 bytes", Buffer.alloc(13)],
    ["a skippable frame", skippableFrame],
  ])("[BAK-6] is refused if %s is appended", async (name, appended) => {
    await expect(verifyAppended(name, appended)).rejects.toThrow("has been changed: bytes follow its end");
  });

  it("[BAK-6] is refused if bytes are appended to an encrypted one", async () => {
    await expect(verifyAppended("encrypted", Buffer.from("x"), "a passphrase")).rejects.toThrow(/changed or truncated/);
  });

  it("[BAK-6] is accepted if nothing is appended, however its bytes arrive", async () => {
    expect(await verifyAppended("whole", Buffer.alloc(0))).toMatchObject({ tables: expect.any(Number) });
    const frames = [
      zstdCompressSync(Buffer.from("x".repeat(300_000))),
      zstdCompressSync(randomBytes(300_000), { params: { [constants.ZSTD_c_checksumFlag]: 1 } }),
      zstdCompressSync(Buffer.alloc(0)),
    ];
    for (const frame of frames) {
      for (const size of [1, 7, 1 << 16])
        expect(await countBytes(requireOneFrame(split(frame, size)))).toBe(frame.length);
      expect(await countBytes(requireOneFrame(split(Buffer.concat([frame, emptyFrame]), 5)))).toBe(frame.length + 13);
      const longer = Buffer.concat([frame, Buffer.from("x")]);
      for (const size of [1, 7, 1 << 16])
        await expect(countBytes(requireOneFrame(split(longer, size)))).rejects.toThrow("bytes follow its end");
    }
  });
});

async function* split(bytes: Uint8Array, size: number): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

async function countBytes(chunks: AsyncIterable<Uint8Array>): Promise<number> {
  let count = 0;
  for await (const chunk of chunks) count += chunk.length;
  return count;
}
