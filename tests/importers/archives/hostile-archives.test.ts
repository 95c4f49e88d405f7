import { mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { formats } from "@pdpp/importers/formats";
import { detect } from "@pdpp/importers/plan";
import { openTree, type Tree } from "@pdpp/importers/tree";
import { createVault } from "@pdpp/test-support/vaults/new-vault";
import { afterAll, describe, expect, it } from "vitest";
import { defaultLimits } from "#importers/tree/tree";
import { importTree, listRecords, openOwner, sumReports } from "../support.ts";
import { writeTar } from "./tar-writer.ts";
import { writeZip } from "./zip-writer.ts";

const folder = mkdtempSync(join(tmpdir(), "pdpp-hostile-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function writeFixture(name: string, content: Uint8Array): string {
  const path = join(folder, name);
  writeFileSync(path, content);
  return path;
}

/** Of this process: others come and go. */
const listSpooledFiles = (): string[] =>
  readdirSync(tmpdir()).filter((name) => name.startsWith("pdpp-import-") && name.includes(`-${process.pid}-`));

/** Lists the entries, the rejected names and the leftover files. */
async function openAndList(path: string, limits = defaultLimits): Promise<{ paths: string[]; faults: string[][] }> {
  const before = listSpooledFiles();
  let tree: Tree | undefined;
  try {
    tree = await openTree([path], limits);
    return {
      paths: tree.entries.map((entry) => entry.path),
      faults: tree.unreadable.map(({ path, code }) => [path, code]),
    };
  } finally {
    await tree?.close();
    expect(listSpooledFiles()).toEqual(before);
  }
}

async function readEntrySize(tree: Tree, path: string): Promise<number> {
  let size = 0;
  for await (const chunk of tree.entries.find((each) => each.path === path)?.bytes() ?? []) size += chunk.length;
  return size;
}

describe("[IMP-7] a hostile tar archive", () => {
  it("has unsafe names, links and devices rejected, and the rest read", async () => {
    const items = [
      { name: "../../up.txt", content: "out" },
      { name: "/absolute.txt", content: "out" },
      { name: "link", type: "2", target: "/etc/passwd" },
      { name: "hard", type: "1", target: "/etc/passwd" },
      { name: "device", type: "3" },
      { name: "link/../good.txt", content: "out" },
      { name: "good.txt", content: "good" },
    ];
    for (const [name, bytes] of [
      ["a.tar", writeTar(items)],
      ["a.tgz", gzipSync(writeTar(items))],
    ] as const) {
      const { paths, faults } = await openAndList(writeFixture(name, bytes));
      expect(paths).toEqual(["good.txt"]);
      expect(faults).toEqual([
        ["../../up.txt", "unsafe_name"],
        ["/absolute.txt", "unsafe_name"],
        ["link", "link"],
        ["hard", "link"],
        ["device", "special"],
        ["link/../good.txt", "unsafe_name"],
      ]);
    }
  });

  it("is reported as truncated, a bomb or too large, and leaves no temporary files", async () => {
    const honest = gzipSync(writeTar([{ name: "a.txt", content: "x".repeat(100_000) }]));
    await expect(openAndList(writeFixture("cut.tgz", honest.subarray(0, honest.length - 20)))).rejects.toThrow(
      /download it again/,
    );
    const liar = gzipSync(writeTar([{ name: "a.txt", content: "short", saidSize: 1_000_000 }]));
    await expect(openAndList(writeFixture("liar.tgz", liar))).rejects.toThrow(/download it again/);
    const limits = { ...defaultLimits, ratioExemptBytes: 10_000, maxRatio: 50 };
    await expect(openAndList(writeFixture("bomb.tgz", honest), limits)).rejects.toThrow(/unpack to far more data/);
    const refused = gzipSync(writeTar([{ name: "../a.txt", content: "x".repeat(100_000) }]));
    await expect(openAndList(writeFixture("refused.tgz", refused), limits)).rejects.toThrow(/unpack to far more data/);
    const few = { ...defaultLimits, maxTotalBytes: 50_000 };
    await expect(openAndList(writeFixture("large.tgz", honest), few)).rejects.toThrow(/larger than 50000 bytes/);
    await expect(openAndList(writeFixture("none.tgz", Buffer.from([0x1f, 0x8b, 8, 0, 1, 2, 3])))).rejects.toThrow(
      /download it again/,
    );
  });
});

describe("[IMP-7] a hostile zip archive", () => {
  it("is rejected before it is unpacked if it is a bomb", async () => {
    const limits = { ...defaultLimits, ratioExemptBytes: 10_000, maxRatio: 50 };
    const path = writeFixture(
      "bomb.zip",
      writeZip([
        { name: "bomb.txt", content: Buffer.alloc(5_000_000) },
        { name: "good.txt", content: "good" },
      ]),
    );
    expect(await openAndList(path, limits)).toEqual({ paths: ["good.txt"], faults: [["bomb.txt", "bomb"]] });
  });

  it("yields no more than its declared size", async () => {
    const path = writeFixture(
      "liar.zip",
      writeZip([{ name: "bomb.txt", content: Buffer.alloc(5_000_000), saidSize: 10 }]),
    );
    const tree = await openTree([path]);
    try {
      await expect(readEntrySize(tree, "bomb.txt")).rejects.toThrow(/damaged/);
      // Detection reports it and continues.
      expect((await detect(tree, formats)).unrecognized.map(({ path, code }) => [path, code])).toEqual([
        ["bomb.txt", "unreadable"],
      ]);
    } finally {
      await tree.close();
    }
  });

  it("rejects only the file with contradictory sizes", async () => {
    const lies = writeZip([
      { name: "liar.txt", content: "x".repeat(100), store: true, saidSize: 10 },
      { name: "good.txt", content: "good" },
    ]);
    expect(await openAndList(writeFixture("two-sizes.zip", lies))).toEqual({
      paths: ["good.txt"],
      faults: [["liar.txt", "damaged"]],
    });
  });

  it("is rejected if its files are larger than any disk", async () => {
    const items = Array.from({ length: 50 }, (_, n) => ({ name: `${n}.txt`, content: "x", saidSize: 200_000_000 }));
    const limits = { ...defaultLimits, ratioExemptBytes: 300_000_000, maxTotalBytes: 5_000_000_000 };
    await expect(openAndList(writeFixture("total.zip", writeZip(items)), limits)).rejects.toThrow(
      /overlap, or unpack to far more data/,
    );
  });

  it("keeps names in any encoding apart, however long", async () => {
    const names = [
      Buffer.from("plain ünicode.txt"),
      Buffer.from([0x83, 0x65, 0x83, 0x58, 0x83, 0x67, 0x2e, 0x74, 0x78, 0x74]),
      Buffer.from([0xff, 0xfe, 0x41, 0x80]),
      Buffer.from("\u001b[2Jclear\r\nscreen.txt"),
      Buffer.from(`${"a/".repeat(5000)}deep.txt`),
    ];
    const { paths, faults } = await openAndList(
      writeFixture("names.zip", writeZip(names.map((name) => ({ name, content: "x" })))),
    );
    expect([new Set(paths).size, faults]).toEqual([names.length, []]);
    expect(paths.every((path) => path.isWellFormed())).toBe(true);
    const nul = await openAndList(
      writeFixture("nul.zip", writeZip([{ name: Buffer.from([0x41, 0, 0x42]), content: "x" }])),
    );
    expect([nul.paths, nul.faults.map(([, code]) => code)]).toEqual([[], ["unsafe_name"]]);
  });

  it("is read even if a nested archive is broken", async () => {
    const inner = writeZip([{ name: "a.txt", content: "x".repeat(1000), store: true }]);
    const path = writeFixture(
      "outer.zip",
      writeZip([
        { name: "cut.zip", content: inner.subarray(0, 300), store: true },
        { name: "packed-cut.zip", content: inner.subarray(0, 300) },
        { name: "whole.zip", content: inner },
        { name: "secret.zip", content: inner, encrypted: true },
      ]),
    );
    const { paths, faults } = await openAndList(path);
    expect(paths).toContain("whole.zip/a.txt");
    expect(faults.map(([name]) => name).sort()).toEqual(["cut.zip", "packed-cut.zip", "secret.zip"]);
  });
});

describe("[IMP-7] an archive with only rejected entries", () => {
  const names = Array.from({ length: 30 }, (_, n) => n);
  it.each([
    ["leads out", "out.zip", writeZip(names.map((n) => ({ name: `../${n}`, content: "x" })))],
    ["has folders only", "folders.zip", writeZip(names.map((n) => ({ name: `${n}/`, content: "" })))],
    ["is links", "links.tar", writeTar(names.map((n) => ({ name: `${n}`, type: "2", target: "/etc/passwd" })))],
  ])("that %s is subject to the same limits", async (_, name, bytes) => {
    await expect(openAndList(writeFixture(name, bytes), { ...defaultLimits, maxEntries: 20 })).rejects.toThrow(
      /more than 20 files/,
    );
    await expect(openAndList(writeFixture(name, bytes), { ...defaultLimits, maxNameChars: 20 })).rejects.toThrow(
      /file names are too long/,
    );
  });
});

describe("[IMP-5] [IMP-7] files that turn out to be damaged while they are read", () => {
  const mails = Array.from(
    { length: 2000 },
    (_, n) =>
      `From a@b Thu Jan  4 10:00:00 2024\nFrom: a@b.c\nMessage-ID: <${n}@x>\nDate: Thu, 04 Jan 2024 10:00:00 +0000\nSubject: ${n}\n\nx\n\n`,
  ).join("");
  const chat = Array.from({ length: 9 }, (_, n) => `0${n + 1}/02/2024, 10:00 - Ada: hello\n`).join("");
  const archive = writeZip([
    { name: "a/mail.mbox", content: mails, store: true },
    {
      name: "b/WhatsApp Chat with Ada.txt",
      content: `${chat}13/02/2024, 10:00 - Ada: IMG-1.jpg (file attached)\n`,
    },
    { name: "b/IMG-1.jpg", content: "a picture that is whole", store: true },
    { name: "c/people.vcf", content: "BEGIN:VCARD\r\nVERSION:3.0\r\nFN:Bea\r\nUID:b\r\nEND:VCARD\r\n" },
  ]);
  const damaged = Buffer.from(archive);
  damaged[archive.indexOf("Subject: 1999") + 9] = 0x33;
  damaged[archive.indexOf("a picture that is whole")] = 0x33;

  it("are reported, their readable part and the other files are imported, and the intact archive repairs them", async () => {
    const vault = await createVault("sqlite");
    const owner = await openOwner(vault, () => 1_700_000_000_000);
    const importAll = async (bytes: Uint8Array) => {
      const tree = await openTree([writeFixture("damaged.zip", bytes)]);
      try {
        return sumReports(await importTree(owner, tree));
      } finally {
        await tree.close();
      }
    };
    const listPictures = async () => {
      const all = await listRecords(owner);
      return all.filter(({ stream, data }) => stream === "attachments" && data.blob_ref !== null).length;
    };
    try {
      const first = await importAll(damaged);
      expect(first).toMatchObject({ stored: 2000 + 10 + 1 + 1 + 1, aside: 2 });
      expect(first.read).toBe(first.stored + first.aside);
      expect((await owner.imports.listRejected("imp_test")).map(({ path, code }) => [path, code])).toEqual([
        ["a/mail.mbox", "damaged"],
        ["b/IMG-1.jpg", "damaged"],
      ]);
      expect(await listPictures()).toBe(0);
      expect(await importAll(damaged)).toMatchObject({ stored: 0, changed: 0, aside: 2 });
      expect(await importAll(archive)).toMatchObject({ aside: 0 });
      expect(await listPictures()).toBe(1);
    } finally {
      await vault.drop();
    }
  });
});
