import { createHash, randomBytes, type ScryptOptions, scrypt } from "node:crypto";
import { mkdir, open, readFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { PdppError } from "@pdpp/contract/errors";
import type { KeyProtection, SealingKey } from "@pdpp/contract/secrets";
import { type Keychain, openKeychain } from "./keychain.ts";
import { keyBytes, seal, unseal } from "./seal.ts";

export interface KeyOptions {
  /** Where key files are kept: outside the vault's folder, so that a copy of that folder lacks the key. */
  readonly keyFolder: string;
  /** Where a new key is kept. By default in the keychain if there is one, else in a file; with a passphrase, nowhere. */
  readonly protection?: KeyProtection | undefined;
  /** Provides the passphrase; it may ask a person. */
  readonly getPassphrase?: (() => Promise<string>) | undefined;
  /** For tests. */
  readonly openKeychain?: () => Promise<Keychain | undefined>;
}

/** A key that can seal. */
export interface OpenKey {
  readonly id: string;
  readonly owner: number;
  readonly bytes: Uint8Array;
}

const getKeyFile = (keyFolder: string, keyId: string): string => join(keyFolder, `${keyId}.key`);

const getCheckPlace = (keyId: string, owner: number): readonly (string | number)[] => ["pdpp-key", owner, keyId];
const checkText = "pdpp";

/** Creates a key and keeps it before anything is sealed with it. */
export async function createKey(owner: number, options: KeyOptions): Promise<SealingKey> {
  const keyId = `key_${randomBytes(12).toString("base64url")}`;
  const bytes = randomBytes(keyBytes);
  const describe = (protection: KeyProtection, key: Uint8Array, salt?: string): SealingKey => ({
    key_id: keyId,
    owner,
    protection,
    ...(salt === undefined ? {} : { salt }),
    check: seal(key, getCheckPlace(keyId, owner), checkText),
  });
  const { protection } = options;
  if (protection === "passphrase") {
    const salt = randomBytes(16).toString("base64url");
    return describe("passphrase", await deriveKey(await requirePassphrase(options), salt), salt);
  }
  const keychain = protection === "file" ? undefined : await (options.openKeychain ?? openKeychain)();
  if (keychain !== undefined) {
    await keychain.set(keyId, bytes.toString("base64url"));
    return describe("keychain", bytes);
  }
  if (protection === "keychain")
    throw new PdppError("unavailable", "no keychain can be used here", {
      next_step: "install @napi-rs/keyring next to pdpp and run it in your desktop session, or use a key file",
    });
  await writeKeyFile(options.keyFolder, keyId, bytes);
  return describe("file", bytes);
}

/** Finds a key where it was put. Throws if it is not there, and never looks anywhere else. */
export async function openKey(key: SealingKey, options: KeyOptions): Promise<OpenKey> {
  const { key_id: id, owner } = key;
  const bytes = await findKey(key, options);
  if (unseal(bytes, getCheckPlace(id, owner), key.check) === checkText) return { id, owner, bytes };
  if (key.protection === "passphrase")
    throw new PdppError("invalid_argument", "wrong passphrase for the saved credentials of your sources");
  throw createMissingKeyError("is damaged", describeKeyPlace(key, options));
}

async function findKey(key: SealingKey, options: KeyOptions): Promise<Uint8Array> {
  const { key_id: id, protection, salt = "" } = key;
  if (protection === "passphrase") return deriveKey(await requirePassphrase(options), salt);
  const place = describeKeyPlace(key, options);
  if (protection === "file") {
    const text = await readFile(getKeyFile(options.keyFolder, id), "utf8").catch((error: NodeJS.ErrnoException) => {
      throw createMissingKeyError(`cannot be read (${error.code})`, place);
    });
    return decodeKey(text.trim(), place);
  }
  const text = await (await (options.openKeychain ?? openKeychain)())?.get(id);
  if (text == null) throw createMissingKeyError("cannot be read", place);
  return decodeKey(text, place);
}

function decodeKey(text: string, place: string): Uint8Array {
  const bytes = Buffer.from(text, "base64url");
  if (bytes.length !== keyBytes) throw createMissingKeyError("is damaged", place);
  return bytes;
}

/** Where the owner finds the key. */
export function describeKeyPlace({ key_id: id, protection }: SealingKey, { keyFolder }: KeyOptions): string {
  if (protection === "file") return `file ${getKeyFile(keyFolder, id)}`;
  return protection === "keychain" ? `the system's keychain (pdpp, ${id})` : "a passphrase";
}

const createMissingKeyError = (what: string, place: string): PdppError =>
  new PdppError("unavailable", `the key of the saved credentials ${what}: ${place}`, {
    next_step: "put it back, or forget the credentials with pdpp source key --reset and sign in to your sources again",
  });

async function requirePassphrase({ getPassphrase }: KeyOptions): Promise<string> {
  const passphrase = await getPassphrase?.();
  if (passphrase) return passphrase;
  throw new PdppError("unavailable", "the credentials of your sources are sealed with a passphrase", {
    next_step: "set PDPP_SOURCE_PASSPHRASE_FILE to a file that contains it, or run this on a terminal",
  });
}

/** About half a second and 128 MiB for each guess. */
const scryptCost: ScryptOptions = { N: 2 ** 17, r: 8, p: 1, maxmem: 256 * 1024 * 1024 };
const runScrypt = promisify<string, string, number, ScryptOptions, Buffer>(scrypt);
const derivedKeys = new Map<string, Promise<Buffer>>();

/** A server derives a key once, not in each run. */
function deriveKey(passphrase: string, salt: string): Promise<Buffer> {
  const text = passphrase.normalize("NFC");
  const id = createHash("sha256")
    .update(JSON.stringify([text, salt]))
    .digest("base64");
  const key = derivedKeys.get(id) ?? runScrypt(text, salt, keyBytes, scryptCost);
  derivedKeys.set(id, key);
  return key;
}

async function writeKeyFile(keyFolder: string, keyId: string, bytes: Buffer): Promise<void> {
  await mkdir(keyFolder, { recursive: true, mode: 0o700 });
  const handle = await open(getKeyFile(keyFolder, keyId), "wx", 0o600);
  try {
    await handle.writeFile(`${bytes.toString("base64url")}\n`);
    await handle.sync();
  } finally {
    await handle.close();
  }
}
