import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { SourceDocument } from "@pdpp/contract/sources";
import { type CliVault, createCliVault } from "@pdpp/test-support/cli/cli-vault";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

describe("pdpp source add imap", () => {
  let vault: CliVault;
  beforeAll(() => {
    vault = createCliVault({ isInProcess: true });
  });
  afterAll(() => vault.drop());

  it("[COL-18] takes the settings of the manifest as options, except secrets", async () => {
    const account = ["source", "add", "imap", "--host", "imap.example.com", "--user", "ada@example.com"];
    expect(await vault.run(account.slice(0, 5))).toMatchObject({ code: 64, stdout: "" });
    expect((await vault.run([...account, "--password", "secret"])).code).toBe(64);
    const source = await vault.json<SourceDocument>(account);
    expect(source).toMatchObject({
      source_id: "imap",
      connection_id: "imap",
      schedule: { mode: "automatic", interval_seconds: 900, minimum_interval_seconds: 60 },
      settings: { builtin: "imap", values: { IMAP_HOST: "imap.example.com", IMAP_USER: "ada@example.com" } },
    });
    expect(source.sign_in).toBeUndefined();
    const second = await vault.json<SourceDocument>([...account, "--id", "work", "--into", "imap"]);
    expect(second).toMatchObject({ source_id: "work", connection_id: "imap" });
    const { data } = await vault.json<{ data: { connector_key: string; display_name: string }[] }>([
      "connection",
      "list",
    ]);
    expect(data).toMatchObject([{ connector_key: "mail-files", display_name: "ada@example.com" }]);
  });

  it.each([
    ["imap", "--host", "imaps://imap.example.com:993", "name of the server only"],
    ["imap", "--host", " ", "Server: enter a value"],
    ["imap", "--port", "imap", "from 1 to 65535"],
    ["imap", "--port", "65536", "from 1 to 65535"],
    ["caldav", "--url", "nonsense", "https://dav.example.com"],
    ["carddav", "--url", "webcal://example.com/", "https://dav.example.com"],
    ["feed", "--url", "https://example.com/feed.xml example.com", "begin with https://"],
  ])("[COL-124] refuses %s with %s %s, and adds nothing", async (kind, option, value, reason) => {
    const given: Record<string, string> = kind === "imap" ? { "--host": "mail.example.com", "--user": "ada" } : {};
    const options = Object.entries({ ...given, [option]: value }).flat();
    const before = (await vault.run(["connection", "list", "--json"])).stdout;
    const refused = await vault.run(["source", "add", kind, ...options]);
    expect(refused).toMatchObject({ stdout: "", stderr: expect.stringContaining(reason) });
    expect(refused.code).not.toBe(0);
    expect((await vault.run(["connection", "list", "--json"])).stdout).toBe(before);
  });

  it.each([
    ["imap", "--host", "::1", "--user", "ada"],
    ["imap", "--host", "mail", "--user", "ada", "--port", "1143"],
    ["caldav", "--url", "ada@example.com"],
    ["caldav", "--url", "example.com"],
    ["carddav", "--url", "http://nas:5232/", "--user", "ada"],
    ["feed", "--url", "https://example.com/a?b=1,2,https://example.org/feed"],
  ])("[COL-124] takes %s %s %s", async (...options) => {
    expect(await vault.run(["source", "add", ...options])).toMatchObject({ code: 0 });
  });

  it("[COL-18] [COL-55] saves the password with the account, and shows it nowhere", async () => {
    const file = join(vault.directory, "password");
    writeFileSync(file, "right-horse\n");
    const options = ["--host", "imap.example.com", "--user", "ada@example.com", "--password-file", file];
    const added = await vault.run(["source", "add", "imap", "--id", "with-password", ...options, "--json"]);
    expect(added).toMatchObject({ code: 0 });
    expect(`${added.stdout}${added.stderr}`).not.toContain("right-horse");
    const source = await vault.json<SourceDocument>(["source", "show", "with-password"]);
    expect(source.sign_in).toBe("password");
    // Due only now, since it could not sign in before.
    expect(source.next_run).toBeDefined();
  });
});
