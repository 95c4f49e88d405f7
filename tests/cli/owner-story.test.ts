import { buildTinyManifest, type CliVault, createCliVault, toNdjson } from "@pdpp/test-support/cli/cli-vault";
import { printedCommand } from "@pdpp/test-support/cli/run-pdpp";
import { createDatabase } from "@pdpp/test-support/vaults/new-vault";
import { afterAll, describe, expect, test } from "vitest";

const vaults: CliVault[] = [];
afterAll(() => vaults.forEach((vault) => void vault.drop()));

async function open(engine: "sqlite" | "postgres"): Promise<CliVault> {
  const database = engine === "postgres" ? await createDatabase() : undefined;
  const vault = createCliVault({ databaseUrl: database?.url });
  vaults.push(vault);
  return vault;
}

type List = { object: "list"; data: Record<string, unknown>[] };
type Issued = {
  token: string;
  package_id?: string;
  grants: { grant_id: string; connector_key: string; connection_ids: string[] }[];
};

describe.concurrent.each(["sqlite", "postgres"] as const)("an owner's story on %s", (engine) => {
  test("from a manifest to a revoked grant", async () => {
    const vault = await open(engine);
    const notes = vault.file("notes.json", buildTinyManifest("notes", "notes"));
    const mail = vault.file("mail.json", buildTinyManifest("mail", "messages"));

    const added = await vault.json<List>(["connector", "add", notes, mail]);
    expect(added.data).toMatchObject([
      { object: "connector", connector_key: "notes", version: "1.0.0", streams: ["notes"], status: "registered" },
      { connector_key: "mail", streams: ["messages"] },
    ]);
    expect((await vault.json<List>(["connector", "add", notes])).data[0]).toMatchObject({ status: "unchanged" });

    expect(await vault.json(["connection", "add", "notes", "--label", "Work", "--id", "notes-work"])).toMatchObject({
      object: "connection",
      connection_id: "notes-work",
      connector_key: "notes",
      display_name: "Work",
    });
    const plain = await vault.run(["connection", "add", "mail"]);
    const mailId = plain.stdout.trim();
    expect(mailId).toMatch(/^cin_[\w-]{16}$/);
    expect(plain.stderr).toContain(`Next: ${printedCommand} ingest ${mailId}`);

    const lines = `${toNdjson([
      { data: { id: "1", title: "one", at: "2026-01-01T00:00:00Z" } },
      { key: "2", data: { id: "2", title: "two", at: "2026-02-01T00:00:00Z" } },
    ])}{"data":\n${toNdjson([{ data: { id: "3" } }])}`;
    const ingested = await vault.run(["ingest", "notes-work", "notes"], { input: lines });
    expect([ingested.code, ingested.stderr]).toEqual([1, expect.stringContaining("Fix the rejected ones")]);
    expect(ingested.stdout.split("\n").slice(0, 3)).toEqual([
      "stored 2, unchanged 0, rejected 2",
      expect.stringMatching(/^ {2}line 3: malformed_ndjson: not JSON/),
      expect.stringMatching(/^ {2}line 4: schema_violation: .*title/),
    ]);
    const again = await vault.run(["ingest", "notes-work", "notes", "-", "--json"], { input: lines });
    expect([again.code, again.stderr]).toEqual([1, ""]);
    expect(JSON.parse(again.stdout)).toMatchObject({
      records_attempted: 4,
      records_accepted: 2,
      records_unchanged: 2,
      records_rejected: 2,
      rejections: [{ line: 3 }, { line: 4 }],
    });
    expect((await vault.json<List>(["connection", "list"])).data).toMatchObject([
      { connection_id: mailId, record_count: 0 },
      { connection_id: "notes-work", record_count: 2, streams: [{ name: "notes", record_count: 2 }] },
    ]);

    const narrow = [
      "--fields",
      "id,title",
      "--since",
      "2026-01-15",
      "--record",
      "2",
      "--expires",
      "2999-01-01",
      "--purpose",
      "a test",
    ];
    const issued = await vault.json<Issued>([
      "grant",
      "create",
      "--client",
      "Reader",
      "--connection",
      "notes-work",
      "--stream",
      "notes",
      ...narrow,
    ]);
    expect(issued).toEqual({
      token: expect.stringMatching(/^pdpp_client_/),
      grants: [{ grant_id: expect.stringMatching(/^grt_/), connector_key: "notes", connection_ids: ["notes-work"] }],
    });
    const grantId = issued.grants[0]!.grant_id;
    expect(await vault.json(["grant", "show", grantId])).toMatchObject({
      object: "grant",
      grant_id: grantId,
      client: { name: "Reader" },
      status: "active",
      purpose: "a test",
      expires_at: "2999-01-01T00:00:00.000Z",
      streams: [
        {
          name: "notes",
          fields: ["id", "title"],
          time_constraint: { field: "at", since: "2026-01-15" },
          resources: ["2"],
        },
      ],
    });
    const shown = await vault.run(["grant", "show", grantId]);
    expect(shown.stdout).toMatch(/^status +active$/m);
    expect(shown.stdout).toMatch(/^ {2}times +at from 2026-01-15$/m);

    const both = ["--connection", "notes-work", "--connection", mailId, "--stream", "notes", "--stream", "messages"];
    const bundle = await vault.json<Issued>(["grant", "create", "--client", "Reader", ...both]);
    expect(bundle.package_id).toMatch(/^pkg_/);
    expect(bundle.grants).toMatchObject([
      { connector_key: "notes" },
      { connector_key: "mail", connection_ids: [mailId] },
    ]);
    expect(await vault.json(["grant", "show", bundle.package_id!])).toMatchObject({
      object: "package",
      grants: [{}, {}],
    });

    expect(await vault.json(["grant", "revoke", grantId])).toMatchObject({ grant_id: grantId, status: "revoked" });
    await vault.json(["grant", "revoke", bundle.package_id!]);
    const all = (await vault.json<List>(["grant", "list"])).data;
    expect(all.map(({ status }) => status)).toEqual(["revoked", "revoked", "revoked"]);
    const acts = [{ operation: "grant.create" }, { operation: "grant.revoke" }];
    expect(await vault.json(["log", "--grant", grantId])).toMatchObject({ object: "list", data: acts });
    expect((await vault.run(["log"])).stdout).toContain("connection.add");
  });
});

test.concurrent("a grant file, owner tokens and the doctor", async () => {
  const vault = await open("sqlite");
  const before = await vault.json<{ ok: boolean; checks: { name: string; state: string }[] }>([
    "doctor",
    "--port",
    "1",
  ]);
  expect(before.ok).toBe(true);
  expect(before.checks.find(({ name }) => name === "vault")).toMatchObject({ state: "warning" });

  await vault.json(["connector", "add", vault.file("notes.json", buildTinyManifest("notes", "notes"))]);
  await vault.json(["connection", "add", "notes", "--id", "n"]);
  const spec = { client: { name: "Reader" }, sources: [{ connector_key: "notes", streams: [{ name: "*" }] }] };
  const issued = await vault.json<Issued>(["grant", "create", "--file", vault.file("grant.json", spec)]);
  expect(issued.grants[0]).toMatchObject({ connection_ids: ["n"] });

  const made = await vault.json<{ token: string; token_id: string }>([
    "owner-token",
    "create",
    "--name",
    "backup",
    "--may",
    "read",
    "--may",
    "ingest",
    "--expires",
    "2999-01-01",
  ]);
  expect(made).toEqual({
    object: "owner_token",
    token: expect.stringMatching(/^pdpp_owner_/),
    token_id: expect.stringMatching(/^tok_/),
    name: "backup",
    may: ["read", "ingest"],
    expires_at: "2999-01-01T00:00:00.000Z",
  });
  expect(await vault.run(["owner-token", "revoke", issued.grants[0]!.grant_id])).toMatchObject({ code: 5 });
  expect(await vault.json(["owner-token", "revoke", made.token_id])).toMatchObject({ status: "revoked" });
  expect((await vault.json<List>(["owner-token", "list"])).data).toMatchObject([{ name: "backup", status: "revoked" }]);
  expect(await vault.run(["grant", "revoke", made.token_id])).toMatchObject({ code: 5 });

  const after = await vault.run(["doctor"]);
  expect(after.code).toBe(0);
  expect(after.stdout).toContain("access: 1 active grant, 0 active owner tokens");
});
