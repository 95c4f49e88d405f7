import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { RunDocument } from "@pdpp/contract/sources";
import { type CliVault, createCliVault } from "@pdpp/test-support/cli/cli-vault";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { manifest, prelude } from "./connector.ts";

const more = `{ type: "SKIP_RESULT", stream: "notes", reason: "run_limit",
  continuation: { boundary: null, slice_start: null, slice_end: null, considered: 3, covered: part, remaining: true, owner: "runtime" } }`;

/** Collects one record in each run. */
const inParts = `${prelude}
const part = (start.state?.notes?.part ?? 0) + 1;
await record("notes", "part-" + part);
await state("notes", { part });
if (part < 3) await say(${more});
await done();
await leave();
`;

const never = `${prelude}
const part = 0;
await say(${more});
await done();
await leave();
`;

describe("a connector that stops early", () => {
  let vault: CliVault;
  beforeAll(() => {
    vault = createCliVault({ isInProcess: true });
    for (const [name, script] of Object.entries({ parts: inParts, never })) {
      const folder = join(vault.directory, name);
      mkdirSync(folder);
      writeFileSync(join(folder, "manifest.json"), JSON.stringify(manifest));
      writeFileSync(join(folder, "index.mjs"), script);
    }
  });
  afterAll(() => vault.drop());

  const sync = async (name: string): Promise<readonly RunDocument[]> => {
    await vault.json(["source", "add", "connector", join(vault.directory, name), "--id", name, "--yes"]);
    await vault.json(["source", "sync", name]);
    return (await vault.json<{ data: RunDocument[] }>(["source", "runs", name])).data;
  };

  it("[COL-17] runs again at once until everything is collected", async () => {
    const runs = await sync("parts");
    expect(runs.map(({ status, has_more, tally }) => [status, has_more, tally.read])).toEqual([
      ["succeeded", undefined, 1],
      ["succeeded", true, 1],
      ["succeeded", true, 1],
    ]);
  });

  it("[COL-17] does not run again if it brought nothing", async () => {
    expect(await sync("never")).toMatchObject([{ status: "succeeded", has_more: true }]);
  });
});
