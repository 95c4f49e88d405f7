import { readFileSync } from "node:fs";
import { buildTinyManifest, createCliVault } from "@pdpp/test-support/cli/cli-vault";
import { runPdpp } from "@pdpp/test-support/cli/run-pdpp";
import { afterAll, beforeAll, expect, test } from "vitest";

const vault = createCliVault({ isInProcess: true });
afterAll(() => vault.drop());
beforeAll(async () => {
  await vault.json(["connector", "add", vault.file("notes.json", buildTinyManifest("notes", "notes"))]);
  await vault.json(["connection", "add", "notes", "--id", "n"]);
});

const broken = { ...buildTinyManifest("bad", "things", { search: { lexical_fields: ["nothing"] } }), version: 7 };

const cases: [name: string, args: string[], code: number, stderr: RegExp][] = [
  [
    "bad JSON",
    ["connector", "add", vault.file("bad.json", '{\n  "a": 1,\n  "b" 2\n}')],
    1,
    /^error: .*bad\.json:3:7: not JSON: .*fix the file/,
  ],
  [
    "a missing file",
    ["connector", "add", "nowhere.json"],
    1,
    /^error: cannot read nowhere\.json: no such file; check the path$/m,
  ],
  ["a directory", ["ingest", "n", "notes", "/"], 1, /^error: cannot read \/: it is a directory/],
  [
    "a bad manifest",
    ["connector", "add", vault.file("broken.json", broken)],
    1,
    /broken\.json: \$\.version: .*\n.*broken\.json: \$\.streams\[0\]\.query\.search\.lexical_fields/,
  ],
  [
    "an unknown connector",
    ["connection", "add", "mail"],
    5,
    /^error: there is no connector "mail"; registered: notes$/m,
  ],
  ["an unknown connector to show", ["connector", "show", "mail"], 5, /registered: notes/],
  ["an unknown connection", ["ingest", "x", "notes", "-"], 5, /^error: there is no connection "x"; connections: n$/m],
  ["an unknown stream", ["ingest", "n", "mail", "-"], 5, /it has: notes/],
  ["an id that is taken", ["connection", "add", "notes", "--id", "n"], 1, /choose another --id/],
  ["an unknown grant", ["grant", "show", "grt_x"], 5, /pdpp grant list/],
  [
    "an unknown field",
    ["grant", "create", "--client", "c", "--connection", "n", "--stream", "notes", "--fields", "x"],
    1,
    /has no field x; it has: id/,
  ],
  ["a grant without a client", ["grant", "create", "--connection", "n", "--stream", "notes"], 64, /missing --client/],
  ["a grant file and flags", ["grant", "create", "--file", "x", "--client", "c"], 64, /cannot be combined/],
  ["a bad grant file", ["grant", "create", "--file", vault.file("g.json", { client: {} })], 1, /\$\.client\.name/],
  ["no time", ["grant", "create", "--since", "yesterday"], 64, /'yesterday' is invalid.*date/],
  ["an unknown command", ["grnat"], 64, /unknown command 'grnat'[\s\S]*grant[\s\S]*--help/],
  ["an unknown option", ["log", "--nope"], 64, /unknown option '--nope'/],
  ["a missing argument", ["ingest", "n"], 64, /missing required argument 'stream'/],
  ["no days", ["prune"], 64, /--older-than/],
  ["a group alone", ["grant"], 64, /Usage: pdpp grant/],
];

test.concurrent.each(cases)("%s", async (_name, args, code, stderr) => {
  expect(await vault.run(args)).toEqual({ code, stdout: "", stderr: expect.stringMatching(stderr) });
});

const asJson: [name: string, error: object][] = [
  ["bad JSON", { type: "invalid_request_error", code: "invalid_request" }],
  [
    "a bad manifest",
    { code: "connector_invalid", faults: expect.arrayContaining([expect.objectContaining({ path: "$.version" })]) },
  ],
  ["an unknown connector", { type: "not_found_error", code: "not_found", param: "connector_key" }],
  ["an unknown option", { code: "invalid_request", message: expect.stringContaining("--nope") }],
  ["a group alone", { code: "invalid_request" }],
];

test.concurrent.each(asJson)("%s with --json is an envelope on stderr", async (name, error) => {
  const [, args, code] = cases.find((held) => held[0] === name)!;
  const ran = await vault.run([...args, "--json"]);
  expect(ran).toMatchObject({ code, stdout: "" });
  expect(JSON.parse(ran.stderr)).toEqual({ error: expect.objectContaining({ message: expect.any(String), ...error }) });
});

/** What the page says of exit codes: for reading, and for the other commands. */
const documented = new Map(
  readFileSync(new URL("../../../../docs/command-line.md", import.meta.url), "utf8")
    .split("\n")
    .flatMap((line) => {
      const [, what, read, other] = /^\| (.+) \| (\d+) \| (\d+) \|$/.exec(line) ?? [];
      return what === undefined ? [] : [[what, { read: Number(read), other: Number(other) }] as const];
    }),
);
const nobody = "http://127.0.0.1:1";
const chat = vault.file("WhatsApp Chat with Ada.txt", "13/01/2024, 10:00 - Ada: boiler");
const ended: [what: RegExp, read: string[], others: string[][], env?: Record<string, string>][] = [
  [
    /^invalid command, or missing input/,
    ["read", "streams", "--nope"],
    [
      ["log", "--nope"],
      ["import", chat, "--yes"],
    ],
  ],
  [/^no token/, ["read", "streams"], [["mcp"]]],
  [
    /^the token is an owner token/,
    ["read", "streams"],
    [["mcp"]],
    { PDPP_ACCESS_TOKEN: `pdpp_owner_${"a".repeat(43)}` },
  ],
  [
    /^the server does not respond/,
    ["read", "streams", nobody],
    [["connect", nobody]],
    { PDPP_ACCESS_TOKEN: `pdpp_client_${"a".repeat(43)}` },
  ],
];

test.each(ended)("[CLI-2] the documented exit codes are the real ones: %s", async (what, reading, others, env = {}) => {
  const [, codes] = [...documented].find(([said]) => what.test(said)) ?? [];
  const run = async (args: string[]) =>
    (await runPdpp(args, { env: { HOME: vault.directory, PDPP_DATA_DIR: `${vault.directory}/vault`, ...env } })).code;
  expect(await run(reading)).toBe(codes?.read);
  for (const args of others) expect(await run(args)).toBe(codes?.other);
});

test("a vault that does not open says where to look", async () => {
  const closed = await runPdpp(["grant", "list", "--data-dir", vault.file("file", "")]);
  expect(closed).toMatchObject({
    code: 1,
    stdout: "",
    stderr: expect.stringMatching(/cannot open the vault .*\nrun npx pdpp doctor/),
  });
  const away = await vault.run(["grant", "list", "--database-url", "postgres://me:secret@127.0.0.1:1/x"]);
  expect(away).toMatchObject({ code: 1, stderr: expect.stringContaining("ECONNREFUSED") });
  expect(away.stderr).not.toContain("secret");
  expect(await vault.run(["doctor", "--database-url", "postgres://127.0.0.1:1/x"])).toMatchObject({
    code: 1,
    stdout: expect.stringContaining("failed   vault"),
  });
});
