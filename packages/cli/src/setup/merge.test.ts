import { readConfiguration as read } from "@pdpp/test-support/cli/configuration";
import { parse as parseToml } from "smol-toml";
import { describe, expect, test } from "vitest";
import { mergeEntry } from "./merge.ts";

describe("merging", () => {
  const entry = (section: string) => ({ section, name: "pdpp", value: { command: "/n", args: ["/a b", "mcp"] } });

  test.each([
    ["json", '{\n\t"a": [1, 2],\n\t"mcpServers": {\n\t\t"x": {"command": "c"}\n\t},\n\t"z": "é"\n}\n', "mcpServers"],
    ["jsonc", '// mine\r\n{\r\n  "servers": {}, // none yet\r\n  "z": 1,\r\n}\r\n', "servers"],
    ["json", '\uFEFF{"a":{"b":null}}', "mcpServers"],
    [
      "toml",
      '# mine\nmodel = "x" # m\n\n[mcp_servers.x]\ncommand = "c"\n\n[tui] # t\nat = 1979-05-27T07:32:00Z\nn = 1_000',
      "mcp_servers",
    ],
    ["toml", 'mcp_servers = { x = { command = "c" } } # inline\n', "mcp_servers"],
    ["toml", "[a]\r\nb = 1 # one\r\n", "mcp_servers"],
    [
      "yaml",
      "# mine\nGOOSE_MODEL: gpt-4o # m\n\nextensions:\n  # the developer's\n  x:\n    cmd: c\n    args: ['1', \"2\"]\nz: yes\n",
      "extensions",
    ],
    ["yaml", "extensions:\n", "extensions"],
    ["yaml", "# only a comment\n", "extensions"],
  ] as const)("%s keeps everything else, comments included: %j", (format, before, section) => {
    const { text, changed } = mergeEntry(format, before, entry(section));
    expect(changed).toBe(true);
    const bare = (held: string) => held.replace(/^\uFEFF/, "");
    const was = read(format, bare(before)) ?? {};
    expect(read(format, bare(text))).toEqual({ ...was, [section]: { ...was[section], pdpp: entry(section).value } });
    const comments = before.match(/(#|\/\/) .*/g) ?? [];
    for (const comment of comments) expect(text).toContain(comment);
    expect(text.includes("\r\n")).toBe(before.includes("\r\n"));
    expect(mergeEntry(format, text, entry(section))).toMatchObject({ text, changed: false });
  });

  test("keeps what a person added to our entry, and drops another way to reach us", () => {
    const held = { type: "http", url: "https://old", headers: {}, disabled: true, timeout: 9, env: { A: "1" } };
    const json = mergeEntry("json", JSON.stringify({ mcpServers: { pdpp: held } }), entry("mcpServers"));
    const value = { ...entry("").value, timeout: 9, env: { A: "1" } };
    expect(JSON.parse(json.text)).toEqual({ mcpServers: { pdpp: value } });
    const before =
      '[mcp_servers.pdpp]\nurl = "https://old"\nstartup_timeout_sec = 20 # slow\n\n[mcp_servers.pdpp.env]\nA = "1"\n';
    const toml = mergeEntry("toml", before, entry("mcp_servers")).text;
    expect(parseToml(toml)).toEqual({
      mcp_servers: { pdpp: { ...entry("").value, startup_timeout_sec: 20, env: { A: "1" } } },
    });
    expect(toml).toContain("# slow");
  });

  test.each([
    ["json", "{,"],
    ["json", "// a comment that Claude Code does not read\n{}"],
    ["json", '{"mcpServers": []}'],
    ["json", "[]"],
    ["jsonc", '{"mcpServers": {'],
    ["toml", "a = "],
    ["toml", "mcpServers = 1"],
    ["yaml", "a: [1"],
    ["yaml", "- 1"],
  ] as const)("%s that it cannot change safely is left alone: %j", (format, before) => {
    expect(() => mergeEntry(format, before, entry("mcpServers"))).toThrow();
  });
});
