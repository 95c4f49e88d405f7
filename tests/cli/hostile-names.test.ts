import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseManifest } from "@pdpp/contract/manifest";
import { openStore } from "@pdpp/server/store/store";
import { buildTinyManifest } from "@pdpp/test-support/cli/cli-vault";
import { runInProcess } from "@pdpp/test-support/cli/run-in-process";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createOwner } from "#server/owner/owner";

/** Names that clients, exports and other people choose, in the output of commands. */

const hostileNames = [
  "\u202eEVIL אבג 12",
  "\u2066EVIL\u2067 ابج 34",
  "EVIL\u001b[31m\u009b2J\u0007 Allow\r\ndeny",
  `EVIL\u2028${"W".repeat(10_000)}`,
];

const folder = mkdtempSync(join(tmpdir(), "pdpp-names-"));
const dataDir = join(folder, "vault");
const files = join(folder, "export");
const mail =
  "From: a@example.org\nTo: b@example.org\nDate: Mon, 5 Oct 2026 10:00:00 +0000\nSubject: Hi\nMessage-ID: <1@x>\n\nHello\n";

beforeAll(async () => {
  const store = await openStore({ dataDir });
  const api = createOwner({ store, ownerNo: 1, now: Date.now });
  await api.connectors.register(parseManifest(buildTinyManifest("notes", "notes")));
  for (const [i, name] of hostileNames.entries()) {
    await api.connections.add({ connector_key: "notes", connection_id: `c${i}`, display_name: name });
    await api.tokens.create({ name });
    const { grants } = await api.grants.issue({
      client: { name },
      sources: [{ connector_key: "notes", streams: [{ name: "notes" }] }],
    });
    store.log.note({
      ownerNo: 1,
      at: Date.now(),
      requestId: "r",
      client: name,
      grantIds: grants.map(({ grant_id }) => grant_id),
      operation: "fetch",
      connectionIds: ["c0"],
      stream: "notes",
      status: 200,
      records: 0,
      bytes: 1,
    });
  }
  await store.close();
  mkdirSync(files);
  for (const name of hostileNames) {
    writeFileSync(join(files, `${name.slice(0, 100)}.eml`), mail);
    writeFileSync(join(files, `${name.slice(0, 100)}.unknown`), "\u0000\u0001");
  }
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** What a terminal would act on, and letters that could reorder their line. */
function findProblems(text: string): string[] {
  const isolated = text.replaceAll(/\u2068[^\n\u2066-\u2069\u202a-\u202e]*\u2069/g, "");
  // Colours and cursor moves of our own.
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
  const plain = isolated.replaceAll(/\u001b\[(?:[\d;]*m|K)/g, "").replaceAll("\r", "");
  return [
    ...[...plain.matchAll(/.{0,40}([\p{Cc}--[\n\t]]|[\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff])/gv)].map(
      ([found, char]) => `U+${char?.charCodeAt(0).toString(16)} in ${found}`,
    ),
    ...[...plain.matchAll(/.{0,40}[\u0590-\u08ff].*/g)].map(([line]) => `not isolated: ${line}`),
    ...(/W{400}/.test(plain) ? ["too long"] : []),
  ];
}

test.each([
  ["grant list"],
  ["log"],
  ["connection list"],
  ["owner-token list"],
  ["import FILES --dry-run"],
  ["import FILES --yes"],
  ["imports"],
])("[WEB-11] pdpp %s isolates hostile names", async (line) => {
  for (const terminal of [true, false]) {
    const args = line.split(" ").map((word) => (word === "FILES" ? files : word));
    const { stdout, stderr } = await runInProcess([...args, "--data-dir", dataDir], { terminal });
    expect(findProblems(`${stdout}\n${stderr}`)).toEqual([]);
    if (line !== "imports") expect(`${stdout}${stderr}`).toContain("EVIL");
  }
});
