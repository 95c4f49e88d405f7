import { spawn } from "node:child_process";
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  truncateSync,
  utimesSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { afterAll, beforeEach, describe, expect, it } from "vitest";
import { buildArchive, parseIndex } from "./archive.ts";
import { describeUnpackFailure, unpackProgram } from "./unpack.ts";

const folder = mkdtempSync(join(tmpdir(), "pdpp-unpack-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const files = [
  { path: "pdpp.mjs", content: Buffer.from("export const a = 1;") },
  { path: "files/deep/b.txt", content: Buffer.alloc(300_000, "b") },
  { path: "empty", content: Buffer.alloc(0) },
];
const built = buildArchive("1.2.3", files);
const index = parseIndex(built.index);
const [nobody, isRoot] = [65_534, process.getuid?.() === 0];

let place: string;
let unpackings: number;
beforeEach(() => {
  place = join(mkdtempSync(join(folder, "cache-")), "pdpp", "programs");
  unpackings = 0;
});
const unpack = (into = place): string =>
  unpackProgram(into, index, () => {
    unpackings += 1;
    return built.archive;
  });

it("[PKG-14] unpacks all files once, for this user only", () => {
  const program = unpack();
  expect(unpack()).toBe(program);
  expect(unpackings).toBe(1);
  for (const { path, content } of files) expect(readFileSync(join(program, path)).equals(content)).toBe(true);
  expect(readdirSync(place)).toHaveLength(1);
});

it("[PKG-14] unpacks again if a file was removed or cut", () => {
  const program = unpack();
  rmSync(join(program, "empty"));
  expect(unpack()).toBe(program);
  truncateSync(join(program, "files/deep/b.txt"), 100);
  expect(unpack()).toBe(program);
  expect(unpackings).toBe(3);
  expect(readFileSync(join(program, "files/deep/b.txt"))).toHaveLength(300_000);
  expect(readdirSync(place)).toHaveLength(1);
});

it("[PKG-14] unpacks nothing from a damaged archive", () => {
  const other = buildArchive("1.2.3", [{ path: "pdpp.mjs", content: Buffer.from("export const a = 2;") }]);
  expect(() => unpackProgram(place, index, () => other.archive)).toThrow("pdpp.mjs in the executable is damaged");
  expect(readdirSync(place)).toEqual([]);
});

it("[PKG-14] keeps the programs of the two versions before it", () => {
  for (const [version, day] of [1, 2, 3].entries()) {
    const old = join(place, `0.0.${version}-abc`);
    mkdirSync(old, { recursive: true, mode: 0o700 });
    chmodSync(place, 0o700);
    utimesSync(old, day, day);
  }
  unpack();
  expect(readdirSync(place).toSorted()).toEqual(["0.0.1-abc", "0.0.2-abc", expect.stringMatching(/^1\.2\.3-/)]);
});

it("[PKG-14] leaves one complete program if many processes start at once", async () => {
  const script = `
    import { parseIndex } from "${import.meta.dirname}/archive.ts";
    import { unpackProgram } from "${import.meta.dirname}/unpack.ts";
    const [, place, index, archive] = process.argv;
    process.stdout.write(unpackProgram(place, parseIndex(index), () => Buffer.from(archive, "base64")));`;
  const words = [place, built.index, Buffer.from(built.archive).toString("base64")];
  const children = Array.from({ length: 6 }, () =>
    spawn(process.execPath, ["--input-type=module", "-e", script, "--", ...words], {
      stdio: ["ignore", "pipe", "inherit"],
    }),
  );
  const programs = await Promise.all(children.map(({ stdout }) => text(stdout)));
  expect(new Set(programs)).toEqual(new Set([unpack()]));
  expect(unpackings).toBe(0);
  expect(readdirSync(place)).toHaveLength(1);
});

describe("a folder that another user can change", () => {
  const refusal = /belongs to another user|other users can/;
  const makePlace = (mode = 0o700): void => {
    mkdirSync(place, { recursive: true });
    chmodSync(place, mode);
  };

  it.skipIf(!isRoot)("[PKG-14] is rejected if somebody else created it (needs root, to act as another user)", () => {
    makePlace();
    chownSync(place, nobody, nobody);
    expect(() => unpack()).toThrow(refusal);
    expect(readdirSync(place)).toEqual([]);
  });

  it.skipIf(!isRoot)("[PKG-14] is rejected behind a link and below a stranger's folder (needs root)", () => {
    const theirs = join(place, "../../theirs");
    mkdirSync(theirs, { recursive: true });
    chownSync(theirs, nobody, nobody);
    mkdirSync(join(place, ".."), { recursive: true });
    symlinkSync(theirs, place);
    expect(() => unpack()).toThrow(refusal);
    expect(() => unpack(join(theirs, "programs"))).toThrow(refusal);
    expect(existsSync(join(theirs, "pdpp.mjs"))).toBe(false);
  });

  it("[PKG-14] is rejected if others can write to it or to a folder above it", () => {
    makePlace(0o777);
    expect(() => unpack()).toThrow(refusal);
    chmodSync(place, 0o700);
    chmodSync(join(place, ".."), 0o777);
    expect(() => unpack()).toThrow(refusal);
    // As /tmp is.
    chmodSync(join(place, ".."), 0o1777);
    expect(existsSync(unpack())).toBe(true);
  });
});

it("[PKG-14] says where it cannot write, and what to do", () => {
  const file = join(unpack(), "pdpp.mjs");
  let message = "";
  try {
    unpack(join(file, "programs"));
  } catch (error) {
    message = describeUnpackFailure(error, join(file, "programs"));
  }
  expect(message).toMatch(/^error: pdpp cannot unpack itself into .*: ENOTDIR.* Set XDG_CACHE_HOME to a folder/);
  expect(message).not.toContain("\n");
});
