import { fileURLToPath } from "node:url";
import { pdppFile } from "@pdpp/test-support/cli/run-pdpp";
import { runNode } from "@pdpp/test-support/processes/run-node";
import { type ServedVault, serveSampleVault } from "@pdpp/test-support/vaults/served-vault";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { successes } from "../calls.ts";

/** The public inspector's command line, installed without running its install script. */

const inspector = fileURLToPath(
  new URL("../../../node_modules/@modelcontextprotocol/inspector/clients/launcher/build/index.js", import.meta.url),
);

let world: ServedVault;
beforeAll(async () => {
  world = await serveSampleVault();
});
afterAll(() => world.close());

const ways = {
  stdio: () => ({
    before: ["-e", `PDPP_ACCESS_TOKEN=${world.token}`, "-e", `PDPP_PROVIDER_URL=${world.url}`],
    after: ["--", process.execPath, pdppFile, "mcp"],
  }),
  HTTP: () => ({
    before: ["--server-url", `${world.url}/mcp`, "--header", `Authorization: Bearer ${world.token}`],
    after: [],
  }),
};

async function inspect(way: keyof typeof ways, args: readonly string[]) {
  const { before, after } = ways[way]();
  const home = { HOME: world.home, USERPROFILE: world.home };
  const ran = await runNode([inspector, "--cli", "--format", "json", ...before, ...args, ...after], home);
  expect(ran.code, ran.stderr + ran.stdout).toBe(0);
  return { stderr: ran.stderr, result: (JSON.parse(ran.stdout) as { result: Record<string, never> }).result };
}

describe.each([
  ["stdio", "legacy"],
  ["HTTP", "modern"],
] as const)("the public inspector over %s, in the %s era", (way, era) => {
  it("[HOST-8] lists the tools and finds no error in their strict schemas", async () => {
    const { result, stderr } = await inspect(way, ["--method", "tools/list", "--strict"]);
    const tools: { name: string }[] = result.tools!;
    expect(tools.map(({ name }) => name)).toEqual(successes.map(({ name }) => name));
    expect(stderr).toBe("");
  });

  it("[HOST-7] calls every tool", async () => {
    const calls = successes.map(async ({ name, arguments: args }) => {
      const named = ["--method", "tools/call", "--tool-name", name, "--tool-args-json", JSON.stringify(args)];
      const { result } = await inspect(way, [...named, "--protocol-era", era]);
      expect(result).toMatchObject({ content: [{ type: "text" }], structuredContent: expect.any(Object) });
      expect(result.isError).toBeUndefined();
    });
    await Promise.all(calls);
  });
});
