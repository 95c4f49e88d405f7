import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { listAnchors } from "@pdpp/test-support/repository/documents";
import { repository } from "@pdpp/test-support/repository/requirements";
import { describe, expect, it } from "vitest";

const page = join(repository, "docs/clients.md");
const named = [
  "ChatGPT",
  "Claude app/Desktop",
  "Claude Code",
  "Codex",
  "Gemini CLI",
  "Hermes",
  "opencode",
  "Cursor/IDEs",
  "CLI",
  "REST",
];

const splitCells = (line: string): string[] =>
  line
    .split("|")
    .slice(1, -1)
    .map((cell) => cell.trim());
const [head, , ...lines] = readFileSync(page, "utf8")
  .split("\n")
  .filter((line) => line.startsWith("|"));
const rows = lines.map((line) => Object.fromEntries(splitCells(line).map((cell, i) => [splitCells(head!)[i], cell])));

describe("[MEAS-2] the client matrix", () => {
  it("has one row for every known client", () => {
    const clients = rows.map(({ client }) => client);
    expect(clients).toEqual(expect.arrayContaining(named));
    expect(new Set(clients).size).toBe(clients.length);
  });

  it.each(rows.map((row) => [row.client, row] as const))(
    "says whether %s is proven or inferred, and from what",
    (_, row) => {
      expect(row.status).toMatch(/^(proven|inferred): \S/);
    },
  );

  it.each(rows.filter(({ status }) => status!.startsWith("proven")).map((row) => [row.client, row] as const))(
    "proves %s with a version and a finding that includes it, and says how often it asks a person",
    (client, { version, status, "asks a person": asks }) => {
      expect(asks).toMatch(/^(\d+|-)/);
      expect(version).toMatch(/\d+\.\d+/);
      const [, path, fragment] = /\]\((research\/[^)#]+)#([^)]+)\)/.exec(status!)!;
      const file = join(dirname(page), path!);
      expect(existsSync(file)).toBe(true);
      expect(listAnchors(readFileSync(file, "utf8"))).toContain(fragment);
      expect(readFileSync(file, "utf8")).toContain(version!.startsWith("pdpp ") ? version : `${client} ${version}`);
    },
  );
});
