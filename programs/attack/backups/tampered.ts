import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { zstdCompressSync, zstdDecompressSync } from "node:zlib";
import { createBackup, restore, verifyBackup } from "#server/backup/backup";
import type { Attack, Target } from "../attack.ts";
import { asOwner, fillWithNotes, toStoreLocation } from "../served.ts";
import { countTables } from "./empty-place.ts";

/** Restores backups that were altered, truncated or extended. Each must be rejected and leave nothing. */

const notes = 400;
/** Restoring takes longer on PostgreSQL. */
const tries = { sqlite: 100, postgres: 25 };
const triesPerRestore = 5;
const passphrase = "correct horse battery staple";

/** Decompressors skip such a frame without a word. */
const skippableFrame = Buffer.concat([Buffer.from([0x50, 0x2a, 0x4d, 0x18, 5, 0, 0, 0]), Buffer.from("extra")]);

interface Altered {
  readonly name: string;
  readonly bytes: Buffer;
  readonly passphrase?: string;
}

export const tamperedBackups: Attack = {
  name: "restoring tampered backups",
  engines: ["sqlite", "postgres"],
  async run(target) {
    const source = join(target.dataDir, "source");
    await asOwner({ engine: "sqlite", dataDir: source }, (owner) => fillWithNotes(owner, notes, 200));
    const file = join(target.dataDir, "whole.pdpp");
    const locked = join(target.dataDir, "locked.pdpp");
    await createBackup({ dataDir: source }, file);
    await createBackup({ dataDir: source }, locked, { passphrase });
    const [whole, encrypted] = [readFileSync(file), readFileSync(locked)];
    const plain = zstdDecompressSync(whole);
    const to: Target = { ...target, dataDir: join(target.dataDir, "restored") };
    const other = join(target.dataDir, "other.pdpp");
    let [rejected, same] = [0, 0];
    const problems: string[] = [];
    const all = [...listAltered(whole, tries[target.engine]), ...listEncrypted(encrypted)];
    for (const [n, { name, bytes, passphrase: given }] of all.entries()) {
      writeFileSync(other, bytes);
      // Some bits do not affect decompression: such a file still has the same contents.
      if (given === undefined && hasContent(bytes, plain) && bytes.length === whole.length) {
        same += 1;
        continue;
      }
      // Reading is the same for both, and restoring takes much longer.
      const attempt =
        n % triesPerRestore === 0 || given !== undefined
          ? restore(toStoreLocation(to), other, [], { passphrase: given })
          : verifyBackup(other);
      const error = await attempt.then(
        () => "was accepted",
        () => undefined,
      );
      const left = existsSync(to.dataDir) ? readdirSync(to.dataDir) : [];
      if (error !== undefined) problems.push(`${name} ${error}`);
      else if (left.length > 0) problems.push(`${name} left ${left}`);
      else rejected += 1;
      if (problems.length > 3) break;
    }
    if ((await countTables(target)) > 0) problems.push("the database is not empty");
    await restore(toStoreLocation(to), locked, [], { passphrase }).catch((error) =>
      problems.push(`the untouched backup is rejected: ${error.message}`),
    );
    return {
      held: problems.length === 0 && rejected + same === all.length && same < all.length / 10,
      figure: `${rejected} of ${all.length} were rejected and left nothing, ${same} unchanged in content${problems.length === 0 ? "" : `; ${problems.join("; ")}`}`,
    };
  },
};

function* listAltered(whole: Buffer, count: number): Generator<Altered> {
  for (let n = 0; n < count; n += 1) {
    const at = Math.floor((n * whole.length) / count);
    yield { name: `bit ${n % 8} of byte ${at}`, bytes: flipBit(whole, at, n % 8) };
    yield { name: `${at} bytes`, bytes: whole.subarray(0, at) };
  }
  const lines = zstdDecompressSync(whole).toString("latin1").split("\n");
  const repack = (changed: readonly string[]): Buffer => zstdCompressSync(Buffer.from(changed.join("\n"), "latin1"));
  const middle = Math.floor(lines.length / 2);
  yield { name: "a line removed", bytes: repack(lines.toSpliced(middle, 1)) };
  yield { name: "a line repeated", bytes: repack(lines.toSpliced(middle, 0, lines[middle] ?? "")) };
  yield {
    name: "two lines swapped",
    bytes: repack(lines.toSpliced(middle, 2, lines[middle + 1] ?? "", lines[middle] ?? "")),
  };
  yield { name: "the last line removed", bytes: repack([...lines.slice(0, -2), ""]) };
  yield { name: "a value changed", bytes: repack(lines.with(middle, (lines[middle] ?? "").replace("word", "w0rd"))) };
  yield {
    name: "another format version",
    bytes: repack(lines.with(0, (lines[0] ?? "").replace('"pdpp_backup":1', '"pdpp_backup":2'))),
  };
  yield {
    name: "a statement as a table's name",
    bytes: repack(lines.map((line) => line.replace('"table":"meta"', '"table":"meta; DROP TABLE token"'))),
  };
  for (const [n, bytes] of [
    Buffer.from("x"),
    Buffer.alloc(13),
    zstdCompressSync(Buffer.alloc(0)),
    skippableFrame,
    whole,
  ].entries())
    yield { name: `with appendix ${n}`, bytes: Buffer.concat([whole, bytes]) };
}

function* listEncrypted(encrypted: Buffer): Generator<Altered> {
  for (const wrong of ["", " ", passphrase.toUpperCase(), `${passphrase} `, passphrase.slice(0, -1)])
    yield { name: `passphrase ${JSON.stringify(wrong)}`, bytes: encrypted, passphrase: wrong };
  for (const part of [0.3, 0.6, 0.999]) {
    const at = Math.floor(encrypted.length * part);
    yield { name: `byte ${at} of an encrypted one`, bytes: flipBit(encrypted, at, 3), passphrase };
    yield { name: `${at} bytes of an encrypted one`, bytes: encrypted.subarray(0, at), passphrase };
  }
  yield { name: "an encrypted one with an appendix", bytes: Buffer.concat([encrypted, Buffer.alloc(40)]), passphrase };
}

function flipBit(bytes: Buffer, at: number, bit: number): Buffer {
  const changed = Buffer.from(bytes);
  changed[at] = (changed[at] ?? 0) ^ (1 << bit);
  return changed;
}

function hasContent(bytes: Buffer, plain: Buffer): boolean {
  try {
    return zstdDecompressSync(bytes).equals(plain);
  } catch {
    return false;
  }
}
