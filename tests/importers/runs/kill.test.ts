import { spawn } from "node:child_process";
import { createWriteStream } from "node:fs";
import { finished } from "node:stream/promises";
import { type CliVault, createCliVault } from "@pdpp/test-support/cli/cli-vault";
import { cleanEnvironment, pdppFile } from "@pdpp/test-support/cli/run-pdpp";
import { chooseRuns } from "@pdpp/test-support/vitest/long-runs";
import { createRandom } from "@pdpp/test-support/vitest/random";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { generators } from "../generators/all.ts";
import type { Generator } from "../generators/generator.ts";

/** A process that imports is killed at random moments, and begun again until it ends by itself. */

const kills = chooseRuns(2, 17);
const bytes = chooseRuns(300_000, 3_000_000);
const chosen = generators.filter(({ importer }) => ["mail-files", "chatgpt", "whatsapp"].includes(importer.key));
const given = ["--time-zone", "Europe/Berlin", "--yes"];

describe.each(chosen.map((generator): [string, Generator] => [generator.importer.key, generator]))(
  "%s",
  (_, generator) => {
    const vaults: CliVault[] = [];
    let path = "";
    beforeAll(async () => {
      vaults.push(createCliVault(), createCliVault());
      const { path: name, pieces } = generator.endless?.(createRandom(5), bytes) ?? { path: "", pieces: () => [] };
      path = `${vaults[0]?.directory}/${name}`;
      const file = createWriteStream(path);
      for (const piece of pieces()) file.write(piece);
      await finished(file.end());
    });
    afterAll(() => vaults.forEach((vault) => void vault.drop()));

    /** Whether it was killed before it had ended. */
    const killImport = (vault: CliVault, after: number): Promise<boolean> => {
      const place = ["--data-dir", `${vault.directory}/vault`];
      const child = spawn(process.execPath, [pdppFile, "import", path, ...given, ...place], {
        env: cleanEnvironment({ HOME: vault.directory }),
        stdio: "ignore",
      });
      setTimeout(() => child.kill("SIGKILL"), after);
      return new Promise((resolve) => child.on("close", (_code, signal) => resolve(signal === "SIGKILL")));
    };

    it(`[IMP-6] killed ${kills} times and restarted, its vault equals an undisturbed one`, async () => {
      const [whole] = vaults;
      if (whole === undefined) throw new Error("there is no vault");
      const began = performance.now();
      expect((await whole.run(["import", path, ...given])).code).toBe(0);
      let took = performance.now() - began;
      const expected = (await whole.run(["export"])).stdout;
      expect(expected.length).toBeGreaterThan(bytes / 2);
      const finishImport = async (vault: CliVault): Promise<void> => {
        expect((await vault.run(["import", path, ...given])).code).toBe(0);
        expect((await vault.run(["export"])).stdout === expected).toBe(true);
        // The run that finished removed the unfinished ones.
        const { data } = await vault.json<{ data: { finished_at: string | null }[] }>(["imports"]);
        expect(data.filter(({ finished_at: end }) => end === null)).toEqual([]);
      };
      const dice = createRandom(Math.floor(took));
      let torn = vaults[1] ?? whole;
      let times = 0;
      for (let tries = 0; times < kills; tries += 1) {
        expect(tries).toBeLessThan(kills * 4);
        if (await killImport(torn, took * (0.15 + 0.6 * dice.next()))) times += 1;
        else {
          // The import finished before it could be killed: kill the next one earlier, in a new vault.
          took /= 2;
          await finishImport(torn);
          torn = createCliVault();
          vaults.push(torn);
        }
      }
      await finishImport(torn);
    });
  },
);
