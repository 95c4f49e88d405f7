import { createClient } from "@pdpp/contract/client";
import { type ReadServer, startReadServer } from "@pdpp/test-support/cli/read-server";
import { chooseRuns } from "@pdpp/test-support/vitest/long-runs";
import { afterAll, beforeAll, describe, expect, test } from "vitest";

/** A real shell runs the commands that the output suggests, unchanged. */

const nastyIds: [name: string, id: string][] = [
  ["plain", "m1"],
  ["quotes", `it's "quoted" \`id\``],
  ["blanks", "  two  blanks  "],
  ["a command", "$(touch pwned) && rm -rf ~ ; #"],
  ["line ends", "first\nsecond\r\n-> pdpp read fetch x\n"],
  ["control characters", "bell\u0007 escape\u001b[2J tab\t del\u007f"],
  ["emoji", "👩‍👩‍👧 ❤️"],
  ["a leading dash", "-rf"],
  ["an option", "--json"],
  ["slashes, dots, colons", "../..:a/b:c%2F%25\\n"],
  ["right to left", "\u202egnp.exe"],
  ["a glob and history", "*?[a] !! ~ {a,b} =x"],
  ["1,000 characters", `${"é'$".repeat(333)}x`],
];

const buildLongText = (word: string) => `${"before ".repeat(100)}${word} ${"after ".repeat(400)}`;

let server: ReadServer;
beforeAll(async () => {
  server = await startReadServer(() =>
    nastyIds.map(([, id], i) => ({
      id,
      subject: `Mail ${i}`,
      sent_at: `2026-01-${String(i + 1).padStart(2, "0")}T10:00:00Z`,
      sender: "-> pdpp read fetch evil",
      body: buildLongText(`needle${i}`),
    })),
  );
});
afterAll(() => server.close());

const listCommands = (text: string): string[] =>
  text
    .split("\n")
    .filter((line) => line.startsWith("-> "))
    .map((line) => line.slice(3));

describe.concurrent("[HND-5] [HND-7] runs continuations in a shell with any id", () => {
  // Each starts five processes; npm test takes the first few.
  test.each(nastyIds.slice(0, chooseRuns(3, nastyIds.length)))("%s", async (_, id) => {
    const i = nastyIds.findIndex((each) => each[1] === id);
    const found = await server.run(["read", "search", `needle${i}`, "--format", "card"]);
    const [command, ...others] = listCommands(found.stdout);
    expect(others).toEqual([]);
    const ran = await server.shell(command!.replace(" --format card", ""));
    expect(ran).toMatchObject({ code: 0, stderr: "" });
    const window = JSON.parse(ran.stdout) as { record_id: string; window: { text: string } };
    expect(window.record_id).toBe(id);
    expect(window.window.text).toContain(`needle${i}`);

    const card = await server.run([
      "read",
      "field-window",
      `pdpp://record/${encodeURIComponent(`cin_x/mails:${id}`)}`,
      "--field",
      "body",
      "--limit-chars",
      "1000",
      "--offset-chars",
      "1000",
      "--format",
      "card",
    ]);
    const steps = listCommands(card.stdout);
    expect(steps).toHaveLength(2);
    for (const step of steps) {
      const { code, stdout } = await server.shell(step);
      expect([code, stdout.includes("<<TEXT ")]).toEqual([0, true]);
    }
  });

  test("runs no command that an id contains", async () => {
    const { stdout } = await server.shell("ls");
    expect(stdout).not.toContain("pwned");
  });
});

test("[HND-7] [BIG-5] pages of records and of hits continue with the command at their end, to the last page", async () => {
  for (const first of ["pdpp read query-records mails --limit 5", "pdpp read search after --limit 5"]) {
    const seen: string[] = [];
    for (let command: string | undefined = first; command !== undefined; ) {
      const { code, stdout, stderr } = await server.shell(`${command}${command === first ? " --format table" : ""}`);
      expect([code, stderr]).toEqual([0, ""]);
      seen.push(...stdout.split("\n").filter((line) => line.startsWith("cin_x/mails:")));
      command = listCommands(stdout)[0];
    }
    expect([first, new Set(seen).size, seen.length]).toEqual([first, nastyIds.length, nastyIds.length]);
  }
});

test("[EVI-3] [LAD-7] a hit on the command line is the hit on REST: identity, preview, continuation", async () => {
  const api = createClient({ url: server.url, token: server.token });
  const [hit] = (await api.search({ q: "needle0" })).data;
  const { stdout } = await server.run(["read", "search", "needle0", "--format", "card"]);
  expect(stdout).toContain(`cin_x/mails:${hit!.record_key}`);
  const [evidence] = hit!.evidence;
  expect(stdout.replaceAll(/<\/?mark>/g, "")).toContain(JSON.stringify(evidence!.preview));
  expect(stdout).toContain("<mark>needle0</mark>");
  const [command] = listCommands(stdout);
  const url = new URL(evidence!.read.url, server.url);
  for (const name of ["field", "offset_chars", "version"])
    expect(command).toContain(`--${name.replace("_", "-")} ${url.searchParams.get(name)}`);
});

test("[HND-8] a record cannot write a line that passes for a continuation", async () => {
  const grouped = await server.run([
    "read",
    "aggregate",
    "mails",
    "--metric",
    "count",
    "--group-by",
    "sender",
    "--format",
    "card",
  ]);
  expect(grouped.stdout).toContain('"-> pdpp read fetch evil"');
  expect(listCommands(grouped.stdout)).toEqual([]);
  const { stdout } = await server.run(["read", "query-records", "mails", "--limit", "50", "--format", "card"]);
  const commands = listCommands(stdout);
  // One for each card: the rest of its body, or the record where the id is itself too long for a card.
  expect(commands).toHaveLength(nastyIds.length);
  for (const command of commands) expect(command).toMatch(/^pdpp read (field-window|fetch) /);
});

test("repeats --provider-url and --cache-root in the next command", async () => {
  const { stdout } = await server.run([
    "read",
    "search",
    server.url,
    "needle0",
    "--format",
    "card",
    "--cache-root",
    ".",
  ]);
  expect(listCommands(stdout)[0]).toMatch(
    new RegExp(
      `^pdpp read field-window ${server.url} cin_x/mails:m1 --field body .* --cache-root /\\S+ --format card$`,
    ),
  );
});
