import { createHash } from "node:crypto";
import { describe, expect, it } from "vitest";
import { readBackupParts } from "./read-backup.ts";
import { createCounts } from "./write-backup.ts";

/** Well-formed lines, with correct end lines unless a line says otherwise. */
function backup(...lines: readonly object[]): string {
  let text = "";
  let count = 0;
  for (const line of lines) {
    const sha256 = createHash("sha256").update(text).digest("hex");
    text += `${JSON.stringify("end" in line ? { lines: count, sha256, ...line } : line)}\n`;
    count += 1;
  }
  return text;
}

const header = {
  pdpp_backup: 1,
  schema_version: 4,
  made_at: "2026-01-01T00:00:00Z",
  made_by: "pdpp",
  engine: "sqlite",
};
const table = { table: "meta", columns: [{ name: "name", type: "text", required: true }], key: ["name"] };
const good = [header, table, ["secret"], { end: "meta" }, { end: "backup" }];

async function read(text: string): Promise<string[]> {
  const parts: string[] = [];
  const bytes = (async function* () {
    yield Buffer.from(text);
  })();
  for await (const { part } of readBackupParts(bytes, createCounts())) parts.push(part);
  return parts;
}

describe("the lines of a backup", () => {
  it("[BAK-2] are read in order", async () => {
    expect(await read(backup(...good))).toEqual(["header", "table", "rows", "whole"]);
  });

  it("[BAK-2] are rejected if one was changed, removed, added or moved", async () => {
    const text = backup(...good);
    const lines = text.split("\n").slice(0, -1);
    const changed = [
      text.replace("secret", "public"),
      ...lines.map((_, n) => `${lines.toSpliced(n, 1).join("\n")}\n`),
      ...lines.map((line, n) => `${lines.toSpliced(n, 0, line).join("\n")}\n`),
      `${text}{}\n`,
      backup(header, table, [7], { end: "meta" }, { end: "backup" }),
      backup(header, table, ["a", "b"], { end: "meta" }, { end: "backup" }),
      backup(header, { ...table, table: "meta; DROP TABLE token" }, { end: "backup" }),
      backup(header, table, ["secret"], { end: "backup" }),
      backup(header, ["secret"], { end: "backup" }),
      backup(
        header,
        { blob: "blob_sha256_00", owner_no: 1, size_bytes: 1 },
        ["AA=="],
        { end: "blob_sha256_00" },
        { end: "backup" },
      ),
    ];
    for (const each of changed)
      await expect(read(each), each).rejects.toThrow(
        /has been changed|truncated|does not start|does not contain the bytes/,
      );
  });

  it("[BAK-2] of a newer version are rejected", async () => {
    await expect(read(backup({ ...header, schema_version: 999 }))).rejects.toThrow(/made by a newer pdpp.*upgrade/);
    await expect(read(backup({ ...header, pdpp_backup: 2 }))).rejects.toThrow(/made by a newer pdpp/);
  });
});
