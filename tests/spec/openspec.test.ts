import { execFile } from "node:child_process";
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { cleanEnvironment } from "@pdpp/test-support/cli/run-pdpp";
import { repository } from "@pdpp/test-support/repository/requirements";
import { afterEach, beforeEach, describe, expect, it } from "vitest";

const change = "unify-read-evidence-surface";
const archived = `2026-11-16-${change}`;
const tool = join(repository, "scripts/openspec.mjs");

interface Issue {
  readonly level: "ERROR" | "WARNING" | "INFO";
}

interface Validated {
  readonly code: number;
  readonly items: readonly { readonly id: string; readonly valid: boolean; readonly issues: readonly Issue[] }[];
}

/** Runs a process that may only read files: no network, no writing, no child processes. */
function runNode(
  directory: string,
  args: readonly string[],
): Promise<{ code: number; stdout: string; stderr: string }> {
  const env = cleanEnvironment({ NODE_OPTIONS: "", XDG_CONFIG_HOME: directory });
  return new Promise((resolve) => {
    execFile(
      process.execPath,
      ["--permission", "--allow-fs-read=*", ...args],
      { cwd: directory, env },
      (error, stdout, stderr) => resolve({ code: error === null ? 0 : Number(error.code), stdout, stderr }),
    );
  });
}

async function validate(directory: string, ...args: string[]): Promise<Validated> {
  const { code, stdout } = await runNode(directory, [tool, "validate", ...args, "--json"]);
  return { code, items: (JSON.parse(stdout) as Pick<Validated, "items">).items };
}

describe("[MEAS-3] the spec", () => {
  it("is strictly valid with its change", async () => {
    const { code, items } = await validate(repository, "--all", "--strict");
    const found = items.flatMap(({ id, issues }) => issues.map((issue) => ({ id, ...issue })));
    // A finished change may say less than today's spec. OpenSpec reports that as information only.
    expect(found.filter(({ id, level }) => !(id === change && level === "INFO"))).toEqual([]);
    expect(code).toBe(0);
    expect(items.map(({ id }) => id)).toContain(change);
  });

  it(`has the change ${change}, which is valid by itself`, async () => {
    expect(await validate(repository, change, "--strict")).toMatchObject({
      code: 0,
      items: [{ id: change, valid: true }],
    });
  });

  it("has completed every archived change, including this one", async () => {
    const { code, items } = await validate(repository, "--archived");
    expect([code, items.filter(({ valid }) => !valid)]).toEqual([0, []]);
    expect(items.map(({ id }) => id)).toContain(archived);
  });

  it("is validated without network access", async () => {
    const { code, stderr } = await runNode(repository, ["-e", "require('node:net').connect(9, '127.0.0.1')"]);
    expect(code).not.toBe(0);
    expect(stderr).toContain("ERR_ACCESS_DENIED");
  });
});

describe("[MEAS-3] an edited copy of the spec", () => {
  let copy: string;
  beforeEach(() => {
    copy = mkdtempSync(join(tmpdir(), "pdpp-openspec-"));
    // A link in the copy must point into the copy.
    cpSync(join(repository, "openspec"), join(copy, "openspec"), { recursive: true, verbatimSymlinks: true });
  });
  afterEach(() => rmSync(copy, { recursive: true, force: true }));

  const edit = (file: string, from: RegExp, to: string) => {
    const path = join(copy, "openspec", file);
    const text = readFileSync(path, "utf8");
    expect(text).toMatch(from);
    writeFileSync(path, text.replace(from, to));
  };
  const listInvalid = ({ items }: Validated) => items.filter(({ valid }) => !valid).map(({ id }) => id);

  it("is valid before the edit", async () => {
    expect((await validate(copy, "--all", "--strict")).code).toBe(0);
  });

  it("is invalid when a requirement has no scenario", async () => {
    edit("specs/search/spec.md", /#### Scenario: Three connections[^#]*/, "");
    const result = await validate(copy, "--all", "--strict");
    expect(result.code).toBe(1);
    expect(listInvalid(result)).toEqual(["search"]);
  });

  it("is invalid in strict mode when a requirement demands nothing", async () => {
    edit("specs/authority/spec.md", /the next request with its token SHALL be refused[^#]*/, "it is refused.\n\n");
    expect(listInvalid(await validate(copy, "--all", "--strict"))).toEqual(["authority"]);
    expect((await validate(copy, "--all")).code).toBe(0);
  });

  it("is invalid when the change adds a requirement without a scenario", async () => {
    edit(`changes/archive/${archived}/specs/mcp-tools/spec.md`, /#### Scenario: The list[^#]*/, "");
    expect((await validate(copy, change, "--strict")).code).toBe(1);
    expect(listInvalid(await validate(copy, "--all", "--strict"))).toEqual([change]);
  });
});
