import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { type BearerProxy, startBearerProxy } from "@pdpp/test-support/mcp/bearer-proxy";
import { runNode } from "@pdpp/test-support/processes/run-node";
import { type ServedVault, serveSampleVault } from "@pdpp/test-support/vaults/served-vault";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { scenarios } from "./conformance-scenarios.ts";

/** The public conformance suite, in its released version and in the version that knows 2026-07-28. */

const findProgram = (suite: string) =>
  fileURLToPath(new URL(`../../../node_modules/${suite}/dist/index.js`, import.meta.url));

const runs = [
  { suite: "conformance-2025", args: [] },
  { suite: "conformance-2026", args: ["--spec-version", "2025-06-18"] },
  { suite: "conformance-2026", args: ["--spec-version", "2025-11-25"] },
  { suite: "conformance-2026", args: ["--spec-version", "2026-07-28"] },
];

interface Check {
  readonly id: string;
  readonly status: "SUCCESS" | "FAILURE" | "WARNING" | "SKIPPED" | "INFO";
  readonly errorMessage?: string;
}

const results = mkdtempSync(join(tmpdir(), "pdpp-conformance-"));
let world: ServedVault;
let proxy: BearerProxy;
beforeAll(async () => {
  world = await serveSampleVault();
  // The suite sends no token, and expects tools and resources to have the names they have in its own server.
  proxy = await startBearerProxy(world.url, world.token, {
    test_simple_text: "schema",
    test_error_handling: "fetch",
    "test://static-text": world.recordUri,
    "test://template/123/data": world.recordUri,
    "test://static-binary": world.blobUri,
  });
});
afterAll(async () => {
  await proxy.close();
  await world.close();
  rmSync(results, { recursive: true, force: true });
});

/** Reads the checks of each scenario from the files the suite writes. */
function readChecks(folder: string): Map<string, Check[]> {
  return new Map(
    readdirSync(folder).map((name) => [
      name.replace(/^server-/, "").replace(/-\d{4}-\d\d-\d\dT[\d-]+Z$/, ""),
      JSON.parse(readFileSync(join(folder, name, "checks.json"), "utf8")) as Check[],
    ]),
  );
}

const listed = async (suite: string): Promise<string[]> => {
  const { stdout } = await runNode([findProgram(suite), "list", "--server"]);
  return [...stdout.matchAll(/^ {2}- (\S+)/gm)].map(([, name]) => name!);
};

describe("[HOST-7] the public conformance suite", () => {
  it("runs every server scenario, or gives a reason not to", async () => {
    const names = [...(await listed("conformance-2025")), ...(await listed("conformance-2026"))];
    expect(names.length).toBeGreaterThan(60);
    expect([...new Set(names)].sort()).toEqual(Object.keys(scenarios).sort());
  });

  const succeeded = new Set<string>();
  it.each(runs)("passes every check of what the server offers in $suite $args", async ({ suite, args }) => {
    const folder = join(results, `${suite}${args.join("")}`);
    const url = `${proxy.url}/mcp`;
    const ran = await runNode([findProgram(suite), "server", "--url", url, "--suite", "all", ...args, "-o", folder]);
    const found = readChecks(folder);
    expect(found.size, ran.stdout + ran.stderr).toBeGreaterThan(20);
    const failed = [...found].flatMap(([scenario, checks]) => {
      const told = scenarios[scenario];
      if (typeof told !== "object") return [];
      if (checks.some(({ status }) => status === "SUCCESS")) succeeded.add(scenario);
      return checks
        .filter(({ id, status }) => (status === "FAILURE" || status === "WARNING") && told.except?.[id] === undefined)
        .map(({ id, status, errorMessage }) => `${scenario} ${id} ${status}: ${errorMessage ?? ""}`);
    });
    expect(failed).toEqual([]);
  });

  it("passes at least one check in every scenario it runs", () => {
    const offered = Object.keys(scenarios).filter((name) => typeof scenarios[name] === "object");
    expect(offered.filter((name) => !succeeded.has(name))).toEqual([]);
  });
});
