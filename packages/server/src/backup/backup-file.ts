import { createCipheriv, randomBytes, type ScryptOptions, scrypt } from "node:crypto";
import { createReadStream } from "node:fs";
import { open, rename, rm, stat } from "node:fs/promises";
import { dirname } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { promisify } from "node:util";
import { constants, createZstdCompress, createZstdDecompress } from "node:zlib";
import { PdppError } from "@pdpp/contract/errors";
import type { Recipient } from "age-encryption";
import { damagedBackupError } from "./format.ts";
import { requireOneFrame } from "./zstd-frame.ts";

/** A backup as a file: compressed, encrypted if there is a passphrase, and written completely or not at all. */

const zstdMagic = Buffer.from([0x28, 0xb5, 0x2f, 0xfd]);
const ageMagic = Buffer.from("age-encryption.org/");

export async function* encodeBackup(
  lines: AsyncIterable<string>,
  passphrase: string | undefined,
): AsyncGenerator<Uint8Array> {
  const compressed = createZstdCompress({ params: { [constants.ZSTD_c_checksumFlag]: 1 } });
  // One batch at a time: each may have several megabytes.
  const source = Readable.from(lines, { highWaterMark: 1 });
  const compressing = pipeline(source, compressed);
  // The consumer below reports the failure.
  compressing.catch(() => undefined);
  try {
    yield* passphrase === undefined ? compressed : await encryptStream(compressed, passphrase);
  } finally {
    source.destroy();
  }
  await compressing;
}

export async function writeBackupFile(
  file: string,
  lines: AsyncIterable<string>,
  passphrase: string | undefined,
): Promise<number> {
  if ((await stat(file).catch(() => undefined)) !== undefined)
    throw new PdppError("invalid_argument", `${file} already exists; choose another name`);
  const partialFile = `${file}.part`;
  try {
    const handle = await open(partialFile, "w", 0o600).catch((error: NodeJS.ErrnoException) => {
      throw new PdppError("invalid_argument", `cannot write ${file}: ${error.message}; choose another location`);
    });
    try {
      for await (const chunk of encodeBackup(lines, passphrase)) await handle.writeFile(chunk);
      await handle.sync();
    } finally {
      await handle.close();
    }
    const { size } = await stat(partialFile);
    await rename(partialFile, file);
    await syncFolder(dirname(file));
    return size;
  } catch (error) {
    await rm(partialFile, { force: true });
    throw error;
  }
}

/** Makes a new file name survive a power failure. */
export async function syncFolder(folder: string): Promise<void> {
  if (process.platform === "win32") return;
  const handle = await open(folder, "r");
  await handle.sync().finally(() => handle.close());
}

async function encryptStream(bytes: Readable, passphrase: string): Promise<Readable> {
  const { Encrypter } = await import("age-encryption");
  const encrypter = new Encrypter();
  encrypter.addRecipient(await createPassphraseRecipient(passphrase));
  return Readable.fromWeb(await encrypter.encrypt(Readable.toWeb(bytes)));
}

export async function* readBackupFile(
  file: string,
  passphrase: string | undefined,
  onBytes: (read: number) => void = () => undefined,
): AsyncGenerator<Uint8Array> {
  const firstBytes = await readFirstBytes(file);
  const isEncrypted = firstBytes.subarray(0, ageMagic.length).equals(ageMagic);
  if (!isEncrypted && !firstBytes.subarray(0, zstdMagic.length).equals(zstdMagic))
    throw new PdppError("invalid_argument", `${file} is not a pdpp backup`);
  if (isEncrypted && passphrase === undefined) {
    throw new PdppError("invalid_argument", `${file} is encrypted`, {
      next_step: "provide its passphrase with --passphrase-file FILE or PDPP_BACKUP_PASSPHRASE",
    });
  }
  const stored = createReadStream(file);
  let read = 0;
  stored.on("data", (chunk) => {
    read += chunk.length;
    onBytes(read);
  });
  const clear = isEncrypted && passphrase !== undefined ? await decryptStream(stored, passphrase) : stored;
  const lines = createZstdDecompress();
  const reading = pipeline(requireOneFrame(clear), lines);
  reading.catch(() => undefined);
  try {
    yield* lines;
    await reading;
  } catch (error) {
    const isExplained = error instanceof PdppError || (error instanceof Error && "syscall" in error);
    throw isExplained ? error : damagedBackupError("has been changed or truncated");
  } finally {
    stored.destroy();
  }
}

async function readFirstBytes(file: string): Promise<Buffer> {
  const handle = await open(file, "r").catch((error: NodeJS.ErrnoException) => {
    throw new PdppError("invalid_argument", `cannot read ${file}: ${error.message}`);
  });
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(ageMagic.length), 0, ageMagic.length, 0);
    return buffer.subarray(0, bytesRead);
  } finally {
    await handle.close();
  }
}

/** Like age's own recipient, but with Node's threaded scrypt: the JavaScript one would block the process for a second. */
async function createPassphraseRecipient(passphrase: string): Promise<Recipient> {
  const { Stanza } = await import("age-encryption");
  return {
    async wrapFileKey(fileKey) {
      const salt = randomBytes(16);
      const label = Buffer.concat([Buffer.from("age-encryption.org/v1/scrypt"), salt]);
      const cost = { N: 2 ** scryptLogN, r: 8, p: 1, maxmem: 2 ** (scryptLogN + 11) };
      const key = await deriveKey(passphrase, label, 32, cost);
      const cipher = createCipheriv("chacha20-poly1305", key, Buffer.alloc(12), { authTagLength: 16 });
      const body = Buffer.concat([cipher.update(fileKey), cipher.final(), cipher.getAuthTag()]);
      const args = ["scrypt", salt.toString("base64").replaceAll("=", ""), String(scryptLogN)];
      return [new Stanza(args, new Uint8Array(body))];
    },
  };
}

/** age's own work factor. */
const scryptLogN = 18;
const deriveKey = promisify<string, Buffer, number, ScryptOptions, Buffer>(scrypt);

async function decryptStream(bytes: Readable, passphrase: string): Promise<Readable> {
  const { Decrypter } = await import("age-encryption");
  const decrypter = new Decrypter();
  decrypter.addPassphrase(passphrase);
  try {
    return Readable.fromWeb(await decrypter.decrypt(Readable.toWeb(bytes)));
  } catch (error) {
    if (error instanceof Error && /identity/.test(error.message))
      throw new PdppError("invalid_argument", "wrong passphrase for this backup");
    throw damagedBackupError("has been changed or truncated");
  }
}
