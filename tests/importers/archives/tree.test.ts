import { execFileSync, spawnSync } from "node:child_process";
import {
  appendFileSync,
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { detect } from "@pdpp/importers/plan";
import { openTree, type Tree } from "@pdpp/importers/tree";
import { afterAll, describe, expect, it } from "vitest";
import { defaultLimits } from "#importers/tree/tree";
import { writeTar } from "./tar-writer.ts";
import { writeZip } from "./zip-writer.ts";

const folder = mkdtempSync(join(tmpdir(), "pdpp-tree-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function writeFixture(name: string, content: string | Uint8Array): string {
  const path = join(folder, name);
  mkdirSync(join(path, ".."), { recursive: true });
  writeFileSync(path, content);
  return path;
}

async function readText(tree: Tree, path: string, from = 0): Promise<string> {
  const entry = tree.entries.find((each) => each.path === path);
  if (entry === undefined) throw new Error(`no ${path} among ${tree.entries.map((each) => each.path)}`);
  const parts: Uint8Array[] = [];
  for await (const chunk of entry.bytes(from)) parts.push(chunk);
  return Buffer.concat(parts).toString();
}

async function withTree<T>(
  paths: readonly string[],
  work: (tree: Tree) => Promise<T>,
  limits = defaultLimits,
): Promise<T> {
  const tree = await openTree(paths, limits);
  try {
    return await work(tree);
  } finally {
    await tree.close();
  }
}

const listPaths = (tree: Tree): string[] => tree.entries.map(({ path }) => path);
const listFaults = (tree: Tree): [string, string][] => tree.unreadable.map(({ path, code }) => [path, code]);

describe("[IMP-1] a tree", () => {
  it("is a folder, a file, or an archive, and can be read from any offset", async () => {
    const inner = writeZip([{ name: "deep.txt", content: "inside of inside" }]);
    const plain = writeFixture("one/a.txt", "hello there");
    writeFixture("one/sub/b.txt", "b");
    writeFixture(
      "one/c.zip",
      writeZip([
        { name: "c.txt", content: "stored here", store: true },
        { name: "big.txt", content: "zip64 entry", zip64: true },
        { name: "stored.zip", content: inner, store: true },
        { name: "packed.zip", content: inner },
      ]),
    );
    await withTree([join(folder, "one")], async (tree) => {
      expect(listPaths(tree)).toEqual([
        "a.txt",
        "c.zip/big.txt",
        "c.zip/c.txt",
        "c.zip/packed.zip",
        "c.zip/packed.zip/deep.txt",
        "c.zip/stored.zip",
        "c.zip/stored.zip/deep.txt",
        "sub/b.txt",
      ]);
      expect(await readText(tree, "a.txt", 6)).toBe("there");
      expect(await readText(tree, "c.zip/c.txt", 7)).toBe("here");
      expect(await readText(tree, "c.zip/big.txt")).toBe("zip64 entry");
      expect(await readText(tree, "c.zip/stored.zip/deep.txt")).toBe("inside of inside");
      expect(await readText(tree, "c.zip/packed.zip/deep.txt", 7)).toBe("of inside");
    });
    await withTree([plain], async (tree) => expect(listPaths(tree)).toEqual(["a.txt"]));
  });

  it("opens a Bear backup inside an archive", async () => {
    const backup = writeZip([{ name: "Note.textbundle/text.md", content: "# Note" }]);
    const path = writeFixture("bear.zip", writeZip([{ name: "Notes.bear2bk", content: backup }]));
    await withTree([path], async (tree) =>
      expect(listPaths(tree)).toEqual(["Notes.bear2bk", "Notes.bear2bk/Note.textbundle/text.md"]),
    );
  });

  it("[IMP-4] ignores placeholder dates such as 1970 and 1980", async () => {
    const undated = new Date("1980-01-01T00:00:00Z");
    const dated = new Date("2024-05-06T07:08:10Z");
    const inner = writeZip([{ name: "deep.txt", content: "x", modified: undated }]);
    const path = writeFixture(
      "undated.zip",
      writeZip([
        { name: "a.txt", content: "x", modified: undated },
        { name: "b.txt", content: "x", modified: dated },
        { name: "inner.zip", content: inner, modified: dated },
      ]),
    );
    const plain = writeFixture("old.txt", "x");
    const [made, before] = [new Date("2025-01-02T03:04:05Z"), Date.now() - 60_000];
    utimesSync(path, made, made);
    utimesSync(plain, new Date(0), new Date(0));
    const listDates = (tree: Tree) => tree.entries.map(({ path, modifiedAt }) => [path, new Date(modifiedAt)]);
    await withTree([path], async (tree) =>
      expect(listDates(tree)).toEqual([
        ["a.txt", made],
        ["b.txt", dated],
        ["inner.zip", dated],
        ["inner.zip/deep.txt", dated],
      ]),
    );
    await withTree([plain], async (tree) => expect(tree.entries[0]?.modifiedAt).toBeGreaterThan(before));
  });

  it("joins the parts of one export, and keeps other inputs apart", async () => {
    const first = writeFixture("parts/takeout-001.zip", writeZip([{ name: "Takeout/a.json", content: "1" }]));
    writeFixture("parts/takeout-002.zip", writeZip([{ name: "Takeout/b.json", content: "2" }]));
    await withTree([first], async (tree) => expect(listPaths(tree)).toEqual(["Takeout/a.json", "Takeout/b.json"]));
    const other = writeFixture("x/takeout.zip", writeZip([{ name: "a.json", content: "1" }]));
    const text = writeFixture("x/a.json", "2");
    await withTree([other, text], async (tree) => expect(listPaths(tree)).toEqual(["a.json", "takeout.zip/a.json"]));
  });

  it("reads names that are UTF-8 without the flag, and old names as CP437", async () => {
    const path = writeFixture(
      "names.zip",
      writeZip([
        { name: Buffer.from("チャネル.json"), content: "1" },
        { name: Buffer.from([0x81, 0x2e, 0x74, 0x78, 0x74]), content: "2" },
      ]),
    );
    await withTree([path], async (tree) => expect(listPaths(tree)).toEqual(["ü.txt", "チャネル.json"]));
  });

  it("unpacks a tar archive, and leaves no temporary files", async () => {
    writeFixture("tarred/Takeout/a.txt", "from a tar");
    const path = join(folder, "out.tgz");
    execFileSync("tar", ["-czf", path, "-C", join(folder, "tarred"), "Takeout"]);
    const before = readdirSync(tmpdir()).filter((name) => name.includes(`-${process.pid}-`));
    await withTree([path], async (tree) => expect(await readText(tree, "Takeout/a.txt", 5)).toBe("a tar"));
    expect(readdirSync(tmpdir()).filter((name) => name.includes(`-${process.pid}-`))).toEqual(before);
  });
});

describe("[IMP-7] a hostile archive", () => {
  it("has its bad entries rejected one by one, and the good ones read", async () => {
    const path = writeFixture(
      "hostile.zip",
      writeZip([
        { name: "../../etc/passwd", content: "out" },
        { name: "/absolute.txt", content: "out" },
        { name: "C:\\windows.txt", content: "out" },
        { name: "a/..\\..\\up.txt", content: "out" },
        { name: "link", content: "/etc/passwd", link: true },
        { name: "secret.txt", content: "x", encrypted: true },
        { name: "bomb.txt", content: "x", saidSize: 4_000_000_000 },
        { name: "good.txt", content: "good" },
        { name: "good.txt", content: "again" },
        { name: "liar.txt", content: "longer than it says", saidSize: 3 },
      ]),
    );
    await withTree([path], async (tree) => {
      expect(listPaths(tree)).toEqual(["good.txt", "liar.txt"]);
      expect(await readText(tree, "good.txt")).toBe("good");
      await expect(readText(tree, "liar.txt")).rejects.toThrow(/damaged/);
      expect(listFaults(tree)).toEqual([
        ["../../etc/passwd", "unsafe_name"],
        ["/absolute.txt", "unsafe_name"],
        ["C:\\windows.txt", "unsafe_name"],
        ["a/..\\..\\up.txt", "unsafe_name"],
        ["link", "link"],
        ["secret.txt", "encrypted"],
        ["bomb.txt", "bomb"],
        ["good.txt", "same_name"],
      ]);
    });
  });

  it("is reported as truncated, damaged, too many or too deep", async () => {
    const whole = writeZip([{ name: "a.txt", content: "x".repeat(1000), store: true }]);
    const cut = writeFixture("cut.zip", whole.subarray(0, 500));
    await expect(openTree([cut])).rejects.toThrow(/incomplete.*download it again/);
    const flipped = Buffer.from(whole);
    flipped[100] = 0x79;
    await withTree([writeFixture("flipped.zip", flipped)], async (tree) => {
      await expect(readText(tree, "a.txt")).rejects.toThrow(/checksum/);
    });
    const many = writeFixture(
      "many.zip",
      writeZip(Array.from({ length: 30 }, (_, n) => ({ name: `${n}.txt`, content: "" }))),
    );
    await expect(openTree([many], { ...defaultLimits, maxEntries: 20 })).rejects.toThrow(/more than 20 files/);
    let deep = writeZip([{ name: "bottom.txt", content: "!" }]);
    for (let level = 0; level < 10; level += 1)
      deep = writeZip([{ name: `level${level}.zip`, content: deep, store: true }]);
    await withTree([writeFixture("deep.zip", deep)], async (tree) => {
      expect(listFaults(tree)).toEqual([["level9.zip/level8.zip", "too_deep"]]);
    });
    await expect(openTree([join(folder, "nowhere")])).rejects.toThrow(/no such file or folder; check the path/);
  });

  it("removes the temporary files of killed processes, and of no others", async () => {
    const program = `
      import { openTree } from "@pdpp/importers/tree";
      await openTree([${JSON.stringify(writeFixture("killed.tar", writeTar([{ name: "a.txt", content: "a" }])))}]);
      process.kill(process.pid, "SIGKILL");`;
    const temporary = join(folder, "temporary");
    mkdirSync(join(temporary, "pdpp-import-elsewhere-1-abc"), { recursive: true });
    const env = { ...process.env, TMPDIR: temporary };
    spawnSync(process.execPath, ["--input-type=module", "-e", program], { env, cwd: import.meta.dirname });
    expect(readdirSync(temporary)).toHaveLength(2);
    spawnSync(process.execPath, ["--input-type=module", "-e", program], { env, cwd: import.meta.dirname });
    expect(readdirSync(temporary)).toHaveLength(2);
    expect(readdirSync(temporary)).toContain("pdpp-import-elsewhere-1-abc");
  });

  it("does not follow links in a folder", async () => {
    mkdirSync(join(folder, "linked"));
    symlinkSync("/etc", join(folder, "linked", "etc"));
    writeFixture("linked/a.txt", "a");
    await withTree([join(folder, "linked")], async (tree) => {
      expect([listPaths(tree), listFaults(tree)]).toEqual([["a.txt"], [["etc", "link"]]]);
    });
  });

  it("does not wait for a pipe, given directly or in a folder", async () => {
    mkdirSync(join(folder, "piped"));
    execFileSync("mkfifo", [join(folder, "piped", "pipe")]);
    writeFixture("piped/a.txt", "a");
    await expect(openTree([join(folder, "piped", "pipe")])).rejects.toThrow(/neither a file nor a folder/);
    await withTree([join(folder, "piped")], async (tree) => {
      expect([listPaths(tree), listFaults(tree)]).toEqual([["a.txt"], [["pipe", "special"]]]);
    });
  });

  it("reports files without read permission, and reads the rest", async () => {
    const secret = writeFixture("locked/secret.txt", "x");
    writeFixture("locked/shut/inner.txt", "x");
    writeFixture("locked/a.txt", "a");
    const shut = [secret, join(folder, "locked", "shut")];
    for (const path of shut) chmodSync(path, 0);
    // Nothing is shut to the administrator.
    const isRoot = process.geteuid?.() === 0;
    chmodSync(folder, 0o755);
    if (isRoot) process.seteuid?.(65_534);
    try {
      await withTree([join(folder, "locked")], async (tree) => {
        expect([listPaths(tree), listFaults(tree).sort()]).toEqual([
          ["a.txt"],
          [
            ["secret.txt", "unreadable"],
            ["shut", "unreadable"],
          ],
        ]);
        expect(tree.unreadable[0]?.reason).toMatch(/permission denied; change its permissions/);
      });
      await expect(openTree([secret])).rejects.toThrow(/permission denied/);
    } finally {
      if (isRoot) process.seteuid?.(0);
      for (const path of shut) chmodSync(path, 0o700);
    }
  });

  it("reads a growing file up to its first size, and reports one that is gone", async () => {
    const growing = writeFixture("moving/log.txt", "first");
    await withTree([join(folder, "moving")], async (tree) => {
      appendFileSync(growing, " second");
      expect(await readText(tree, "log.txt")).toBe("first");
      rmSync(growing);
      await expect(readText(tree, "log.txt")).rejects.toThrow(/no such file/);
    });
  });
});

it("[IMP-1] reports a nested archive with a password once", async () => {
  const secret = writeZip([
    { name: "a.csv", content: "a", encrypted: true },
    { name: "b.csv", content: "b", encrypted: true },
  ]);
  const one = writeZip([{ name: "c.csv", content: "c", encrypted: true }]);
  const path = writeFixture(
    "with-password.zip",
    writeZip([
      { name: "secret.zip", content: secret },
      { name: "one.zip", content: one },
    ]),
  );
  await withTree([path], async (tree) => {
    const { unrecognized: notUnderstood } = await detect(tree, []);
    expect(notUnderstood.map(({ path, code }) => [path, code])).toEqual([
      ["secret.zip", "encrypted"],
      ["one.zip/c.csv", "encrypted"],
    ]);
  });
});
