import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { operations } from "@pdpp/contract/operations";
import { type ReadServer, startReadServer } from "@pdpp/test-support/cli/read-server";
import { runProgram } from "@pdpp/test-support/cli/run-pdpp";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { z } from "zod";

/** Every reading command on a terminal, in a pipe and with --json; and how each fails. */

const body = `${"Dear Ada, the pump hums. ".repeat(20)}The warranty ends in May. ${"Kind regards. ".repeat(15)}`;

let server: ReadServer;
beforeAll(async () => {
  server = await startReadServer(
    (blob) => [
      { id: "m1", subject: "The boiler", sent_at: "2026-01-05T08:00:00Z", sender: "Lorch", body, scan: blob },
      {
        id: "m2",
        subject: "Re: The boiler",
        sent_at: "2026-02-05T08:00:00Z",
        sender: "Ada",
        body: "Thanks!\n\u001b[2JBye",
      },
    ],
    { narrow: { fields: ["id", "subject", "sent_at", "sender", "body", "scan"] } },
  );
});
afterAll(() => server.close());

const hasTerminal = existsSync("/usr/bin/script");
const noTerminal = "/usr/bin/script, which makes a terminal, is not here";
if (!hasTerminal) console.warn("no script(1) here: what a terminal shows is not tested");

/** In a pseudo-terminal of 80 columns. */
async function onTerminal(
  command: string,
  env: Readonly<Record<string, string>> = {},
): Promise<{ code: number | null; text: string }> {
  const { code, stdout } = await runProgram("/usr/bin/script", ["-qec", command, "/dev/null"], {
    env: { ...server.env, TERM: "xterm", PATH: `${server.directory}:${process.env.PATH}`, ...env },
    cwd: server.directory,
  });
  return { code, text: stdout.replaceAll("\r\n", "\n").replace("^D\u0008\u0008", "") };
}

/** Replaces values that differ between runs. */
const removeVolatile = (text: string): string =>
  text
    .replaceAll(server.url, "http://vault")
    .replaceAll(/\b[0-9a-f]{16}\b/g, "NONCE")
    .replaceAll(/blob_sha256_\w+/g, "BLOB")
    // One that begins with a dash is written with an equals sign.
    .replaceAll(/--cursor=(?=-)/g, "--cursor ")
    .replaceAll(/("(?:next|previous)?_?cursor":|--cursor |[?&]cursor=)"?[\w-]{20,}"?/g, "$1CURSOR")
    .replaceAll(/grt_[\w-]{16}/g, "GRANT")
    .replaceAll(/"score":\{[^}]*\}/g, '"score":SCORE')
    .replaceAll(/localhost:\d+/g, "localhost:PORT")
    .replaceAll(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/g, (time) => (time.startsWith("2026-06-01") ? time : "TIME"));

const commands: [command: string, operation: keyof typeof operations | null][] = [
  ["schema mails", "schema"],
  ["streams", "streams"],
  ["search warranty", "search"],
  ["query-records mails --limit 1", "queryRecords"],
  ["fetch cin_x/mails:m1", "fetch"],
  ["field-window cin_x/mails:m1 --field body --q warranty --before-chars 30 --after-chars 60", "readField"],
  ["field-window cin_x/mails:m1 --field body --offset-chars 500 --limit-chars 100 --all", "readField"],
  ["aggregate mails --metric count", "aggregate"],
  ["aggregate mails --metric count --group-by sender", "aggregate"],
  ["export", null],
];

describe.concurrent("[CLI-1] [CLI-2] what a command prints", () => {
  // Concurrent tests need the expect of their test context for snapshots.
  test.for(commands)("pdpp read %s", async ([command, operation], { expect }) => {
    const words = command.split(" ");
    const [piped, json, terminal] = await Promise.all([
      server.run(["read", ...words]),
      server.run(["read", ...words, "--json"]),
      hasTerminal ? onTerminal(`pdpp read ${command}`) : { code: 0, text: "" },
    ]);
    expect([piped.code, piped.stderr, json.code, json.stderr, terminal.code], terminal.text).toEqual([0, "", 0, "", 0]);
    const document = JSON.parse(json.stdout);
    if (operation !== null) {
      (operations[operation].output as z.ZodType).parse(document);
      expect(JSON.parse(piped.stdout)).toEqual(document);
    } else {
      expect(document.data).toEqual(
        piped.stdout
          .trim()
          .split("\n")
          .map((line) => JSON.parse(line)),
      );
    }
    expect(json.stdout.trim().includes("\n") && operation !== null).toBe(false);
    if (hasTerminal) expect(removeVolatile(terminal.text)).toMatchSnapshot("terminal");
    expect(removeVolatile(piped.stdout)).toMatchSnapshot("pipe");
  });

  test("uses colour on terminals only, and not with NO_COLOR", async (context) => {
    if (!hasTerminal) return context.skip(noTerminal);
    const [coloured, plain] = await Promise.all([
      onTerminal("pdpp read search warranty"),
      onTerminal("pdpp read search warranty", { NO_COLOR: "1" }),
    ]);
    expect(coloured.text).toContain("\u001b[33mwarranty\u001b[39m");
    expect(plain.text).not.toContain("\u001b");
  });

  test("[HND-8] a record cannot control the terminal; a pipe gets it verbatim", async (context) => {
    if (!hasTerminal) return context.skip(noTerminal);
    const command = "pdpp read field-window cin_x/mails:m2 --field body --format card";
    const [terminal, piped] = await Promise.all([onTerminal(command), server.shell(command)]);
    expect(terminal.text).toContain("Thanks!\n\\u001b[2JBye\n");
    expect(terminal.text).not.toContain("\u001b[2J");
    expect(piped.stdout.replaceAll("\u001b", "ESC")).toMatch(
      /\n<<TEXT ([0-9a-f]{16})\nThanks!\nESC\[2JBye\n\1 TEXT>>\n/,
    );
  });

  test("jsonl and --data", async () => {
    const [lines, envelope, data] = await Promise.all([
      server.run(["read", "query-records", "mails", "--format", "jsonl", "--data"]),
      server.run(["read", "query-records", "mails", "--format", "jsonl"]),
      server.run(["read", "fetch", "mails", "m2", "--fields", "subject", "--data"]),
    ]);
    expect(
      lines.stdout
        .trim()
        .split("\n")
        .map((line) => JSON.parse(line).id),
    ).toEqual(["m2", "m1"]);
    expect(
      envelope.stdout
        .trim()
        .split("\n")
        .map((line) => JSON.parse(line).object),
    ).toEqual(["list"]);
    expect(JSON.parse(data.stdout)).toEqual({ subject: "Re: The boiler" });
  });

  test("warnings go to stderr", async () => {
    const { code, stdout, stderr } = await server.run(["read", "query-records", "mails", "--limit", "1000"]);
    expect([code, JSON.parse(stdout).data.length]).toEqual([0, 2]);
    expect(stderr).toMatch(/^warning: limit_clamped — .*\n$/);
  });

  test("filters with operators and as JSON return the same", async () => {
    const answers = await Promise.all([
      server.run(["read", "query-records", "mails", "--filter", "sent_at>=2026-02-01", "--data"]),
      server.run(["read", "query-records", "mails", "--filter", "filter[sent_at][gte]=2026-02-01", "--data"]),
      server.run(["read", "query-records", "mails", "--filter-json", '{"sent_at":{"gte":"2026-02-01"}}', "--data"]),
    ]);
    for (const { stdout } of answers) expect(JSON.parse(stdout)).toMatchObject([{ id: "m2" }]);
  });
});

test("[LAD-7] [LAD-8] --open reads a hit at its match", async () => {
  const opened = await server.run(["read", "search", "warranty", "--open", "1"]);
  const window = operations.readField.output.parse(JSON.parse(opened.stdout));
  expect(window.window.text).toContain("The warranty ends");
  expect(await server.run(["read", "search", "warranty", "--open", "7"])).toMatchObject({ code: 5, stdout: "" });
  expect(await server.run(["read", "search", "warranty", "--open", "x"])).toMatchObject({ code: 2, stdout: "" });
});

describe("[CLI-3] a time in a question", () => {
  const zone = { TZ: "America/New_York" };
  const listIds = (stdout: string): string[] =>
    JSON.parse(stdout).data.map((hit: { record_key: string }) => hit.record_key);

  test("filters the search and is shown, with a command that searches for the words instead", async () => {
    const asked = ["read", "search", "boiler in February 2026"];
    const [found, plain] = await Promise.all([
      server.program(asked, zone),
      // Not in this process: the zone would then be the server's too, and change what it answers in the meantime.
      server.program(
        ["read", "search", "boiler", "--since", "2026-02-01T00:00:00-05:00", "--until", "2026-03-01T00:00:00-05:00"],
        zone,
      ),
    ]);
    expect(found).toEqual({
      code: 0,
      stdout: plain.stdout,
      stderr:
        'understood: since 2026-02-01, until 2026-03-01 ("in February 2026"); to search for the words instead:\n' +
        "-> pdpp read search 'boiler in February 2026' --no-time\n",
    });
    expect(listIds(found.stdout)).toEqual(["m2"]);
    operations.search.output.parse(JSON.parse(found.stdout));
    const undone = await server.shell(/^-> (.*)$/m.exec(found.stderr)![1]!, zone);
    const notFound = "warning: words_not_found — no record has: february, 2026\n";
    expect([undone.stderr, listIds(undone.stdout).sort()]).toEqual([notFound, ["m1", "m2"]]);
  });

  test("can be turned off for every page, and each filtered page shows its range", async () => {
    const words = ["read", "search", "boiler since January 2026", "--limit", "1", "--format", "card"];
    for (const more of [[], ["--no-time"]]) {
      const first = await server.program([...words, ...more], zone);
      const next = /^-> (pdpp read search .*)$/m.exec(first.stdout)![1]!;
      expect(next).toContain(
        more.length > 0 ? " --no-time " : "search boiler --limit 1 --since 2026-01-01T00:00:00-05:00 ",
      );
      // With --no-time the words of the time are searched for too, and none of them is there.
      const stderr = more.length > 0 ? "warning: words_not_found — no record has: since, january, 2026\n" : "";
      expect(await server.shell(next, zone)).toMatchObject({ code: 0, stderr });
    }
    const { next_cursor: cursor } = JSON.parse((await server.program([...words.slice(0, 5), "--json"], zone)).stdout);
    const again = await server.program([...words.slice(0, 5), "--cursor", cursor], zone);
    expect(again).toMatchObject({ code: 0, stderr: expect.not.stringContaining("--cursor") });
  });

  test("without results says so, with the command that drops the filter", async () => {
    const asked = ["read", "search", "boiler in March 2026"];
    const [card, json] = await Promise.all([
      server.program([...asked, "--format", "card"], zone),
      server.program([...asked, "--json"], zone),
    ]);
    expect(card).toEqual({
      code: 0,
      stdout:
        "Nothing found since 2026-03-01, until 2026-04-01. To search at any time, with\nall the words:\n" +
        "-> pdpp read search 'boiler in March 2026' --limit 10 --no-time --format card\n",
      stderr:
        'understood: since 2026-03-01, until 2026-04-01 ("in March 2026")\nwarning: words_not_found — no record of this selection has: boiler\n',
    });
    expect([listIds(json.stdout), json.stderr]).toEqual([
      [],
      expect.stringMatching(/; nothing found .*:\n-> pdpp read /),
    ]);
  });

  test("[SRCH-50] that does not filter is preferred, with a command that ranks by the words alone", async () => {
    const found = await server.program(["read", "search", "boiler 2026-02-10"], zone);
    expect(listIds(found.stdout).sort()).toEqual(["m1", "m2"]);
    expect(found.stderr).toContain(
      'warning: time_preferred — records since 2026-02-09, until 2026-02-12 ("2026-02-10") score higher; time=words ranks by the words alone\n' +
        "-> pdpp read search 'boiler 2026-02-10' --no-time\n",
    );
    const undone = await server.shell(/^-> (.*)$/m.exec(found.stderr)![1]!, zone);
    expect(listIds(undone.stdout).sort()).toEqual(["m1", "m2"]);
    expect(undone.stderr).not.toContain("time_preferred");
  });

  test.each([
    [["boiler yesterday", "--since", "2020-01-01"]],
    [["boiler yesterday", "--until", "2030-01-01"]],
    [["boiler yesterday", "--no-time"]],
    [["boiler 2026"]],
    [["may I see the boiler"]],
    [['boiler "in March 2026"']],
    [["in March 2026"]],
  ])("[CLI-4] is none in %j", async (words) => {
    const { code, stderr } = await server.program(["read", "search", ...words], zone);
    expect([code, stderr]).toEqual([0, expect.not.stringContaining("understood")]);
  });

  test("[LAD-7] --open opens a hit within the range", async () => {
    const opened = await server.program(["read", "search", "boiler in February 2026", "--open", "1"], zone);
    expect([opened.code, JSON.parse(opened.stdout).record_id ?? JSON.parse(opened.stdout).id]).toEqual([
      0,
      expect.stringContaining("m2"),
    ]);
  });
});

test("[CLI-1] [BIG-3] writes a blob to a file or a pipe, never to a terminal", async () => {
  const file = join(server.directory, "scan.pdf");
  const saved = await server.run(["read", "blob", server.blobId, "--output", file, "--json"]);
  expect(JSON.parse(saved.stdout)).toMatchObject({ object: "blob", mime_type: "application/pdf", size_bytes: 6 });
  expect([...readFileSync(file)]).toEqual([0, 1, 2, 3, 255, 27]);
  expect(await server.run(["read", "blob", server.blobId, "--output", file])).toMatchObject({ code: 2, stdout: "" });
  expect((await server.run(["read", "blob", server.blobId])).stdout).toHaveLength(6);
  if (hasTerminal) {
    const refused = await onTerminal(`pdpp read blob ${server.blobId}`);
    expect([refused.code, refused.text]).toEqual([2, expect.stringContaining("--output FILE")]);
  }
  const card = await server.run(["read", "fetch", "mails", "m1", "--format", "card"]);
  const command = /: (pdpp read blob .*)$/m.exec(card.stdout)![1]!;
  expect(await server.shell(`${command} && wc -c < ${server.blobId}`)).toMatchObject({ code: 0 });
});

const failures: [name: string, args: string[], env: Record<string, string>, code: number, stderr: RegExp][] = [
  ["no words", ["search"], {}, 2, /missing search words/],
  ["no stream", ["query-records"], {}, 2, /missing required argument 'stream'.*--help/],
  ["an option that is not there", ["streams", "--nope"], {}, 2, /unknown option '--nope'/],
  ["an unknown format", ["streams", "--format", "xml"], {}, 2, /Allowed choices are json, jsonl, table, card/],
  ["one argument too many", ["streams", "what"], {}, 2, /unexpected argument/],
  ["no such command", ["strems"], {}, 2, /unknown command 'strems'/],
  ["no field", ["field-window", "cin_x/mails:m1"], {}, 2, /--field.*pdpp read schema/],
  ["two streams", ["schema", "mails", "--stream", "letters"], {}, 2, /mails and letters; choose one/],
  ["two connections", ["fetch", "cin_x/mails:m1", "--connection-id", "cin_y"], {}, 2, /drop it/],
  ["nobody there", ["streams", "http://127.0.0.1:9"], {}, 2, /no answer from http:\/\/127.0.0.1:9/],
  [
    "an unknown token",
    ["streams"],
    { PDPP_ACCESS_TOKEN: `pdpp_client_${"x".repeat(43)}` },
    3,
    /token is unknown.*\n.*grant[\s\S]*request req_/,
  ],
  ["an owner's token", ["streams"], { PDPP_ACCESS_TOKEN: `pdpp_owner_${"x".repeat(43)}` }, 2, /owner/],
  ["no token", ["streams"], { PDPP_ACCESS_TOKEN: "" }, 2, /pdpp grant create/],
  ["a stream outside the grant", ["query-records", "letters"], {}, 4, /letters[\s\S]*pdpp read streams/],
  ["a record that is not there", ["fetch", "mails", "m9"], {}, 5, /no record with that id[\s\S]*request req_/],
  ["a field that is not there", ["aggregate", "mails", "--metric", "sum", "--field", "x"], {}, 1, /no field/],
];

test.concurrent.each(failures)("[CLI-2] %s", async (_name, args, env, code, stderr) => {
  const ran = await server.run(["read", ...args], env);
  expect(ran).toEqual({ code, stdout: "", stderr: expect.stringMatching(stderr) });
});

test("[CLI-2] [AUT-6] [EVI-7] with --json a failure is the server's envelope, with its request id", async () => {
  const { code, stderr } = await server.run(["read", "fetch", "mails", "m9", "--json"]);
  expect(code).toBe(5);
  expect(JSON.parse(stderr)).toEqual({
    error: expect.objectContaining({
      type: "not_found_error",
      code: "not_found",
      request_id: expect.stringMatching(/^req_/),
    }),
  });
});

test("[CLI-2] a grant that does not allow it exits with 4", async () => {
  const narrow = await startReadServer(() => [{ id: "m1", subject: "Hidden", body: "text" }], {
    narrow: { fields: ["id", "subject"] },
  });
  const { code, stderr } = await narrow.run(["read", "field-window", "mails", "m1", "--field", "body"]);
  expect([code, stderr]).toEqual([4, expect.stringContaining("body")]);
  await narrow.close();
});

test("searches a server that does not let clients use views", async () => {
  const strict = await startReadServer(() => [{ id: "m1", subject: "Hello", body: "text" }], { clientQueries: false });
  expect(await strict.run(["read", "search", "hello", "--format", "card"])).toMatchObject({
    code: 0,
    stdout: expect.stringContaining("<mark>Hello</mark>"),
  });
  await strict.close();
});

test("takes the token of the named provider from the cache, or of the only one", async () => {
  const root = join(server.directory, ".pdpp");
  const { host } = new URL(server.url);
  const file = join(root, "clients", `${host.replace(/[^A-Za-z0-9.-]/g, "_")}.json`);
  await server.shell(`mkdir -p '${join(root, "clients")}'`);
  writeFileSync(
    file,
    JSON.stringify({ provider_url: server.url, credential: { access_token: server.token, token_type: "Bearer" } }),
    { mode: 0o600 },
  );
  const env = { PDPP_ACCESS_TOKEN: "", PDPP_PROVIDER_URL: "" };
  for (const args of [["streams"], ["streams", server.url], ["streams", "--cache-root", root]])
    expect(await server.run(["read", ...args], env)).toMatchObject({ code: 0, stderr: "" });
});
