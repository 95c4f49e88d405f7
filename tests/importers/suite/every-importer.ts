import { parseManifest } from "@pdpp/contract/manifest";
import type { OwnerApi } from "@pdpp/contract/owner";
import { buildRecordKey } from "@pdpp/contract/record-key";
import type { WireRecord } from "@pdpp/contract/wire";
import type { Item } from "@pdpp/importers/importer";
import { detect } from "@pdpp/importers/plan";
import { createVault, type EngineName, engineNames, type TestVault } from "@pdpp/test-support/vaults/new-vault";
import { chooseRuns } from "@pdpp/test-support/vitest/long-runs";
import { createRandom } from "@pdpp/test-support/vitest/random";
import { describe, expect, it } from "vitest";
import { findIntegrityFaults } from "../../store/integrity.ts";
import { variedFormats } from "../generators/all.ts";
import type { Files, Generator } from "../generators/generator.ts";
import {
  addChecksums,
  answers,
  createMemoryTree,
  importRest,
  importTree,
  indexContent,
  listRecords,
  openOwner,
  sumReports,
} from "../support.ts";

/** Requirements for every importer. */

const [then, later, now] = [Date.UTC(2026, 0, 1), Date.UTC(2026, 5, 1), Date.UTC(2026, 10, 1)];
const seed = 7;

async function readItems({ importer }: Generator, files: Files, at: number, chunk = 1000): Promise<Item[]> {
  const { claims } = await detect(createMemoryTree(files, at, chunk), [importer]);
  const items: Item[] = [];
  for (const { claim } of claims) for await (const item of importer.read(claim, answers)) items.push(item);
  return items;
}

/** The records of an export by key, with the blob left out; the last of two with the same key. */
async function readRecords(
  generator: Generator,
  files: Files,
  at: number,
  chunk?: number,
): Promise<Map<string, string>> {
  const { streams } = parseManifest(generator.importer.manifest);
  const found = (await readItems(generator, files, at, chunk)).filter((item) => item.kind === "record");
  return new Map(
    found.map(({ stream, data }) => {
      const { primaryKey = [] } = streams.find(({ name }) => name === stream) ?? {};
      return [`${stream}:${buildRecordKey(primaryKey, data)}`, JSON.stringify(data)];
    }),
  );
}

/** All of them are stored in SQLite; `npm run test:all` stores all of them in PostgreSQL too. */
const listEngines = ({ importer: { key } }: Generator): readonly EngineName[] =>
  engineNames.slice(0, variedFormats.has(key) ? 2 : chooseRuns(1, 2));

async function withVault<T>(engine: EngineName, work: (owner: OwnerApi, vault: TestVault) => Promise<T>): Promise<T> {
  const vault = await createVault(engine);
  try {
    return await work(await openOwner(vault, () => now), vault);
  } finally {
    await vault.drop();
  }
}

export function testImporters(generators: readonly Generator[]): void {
  describe.each(generators.map((generator): [string, Generator] => [generator.importer.key, generator]))(
    "%s",
    (_, generator) => {
      const { older, newer } = generator.pair(createRandom(seed), 8);

      it("[IMP-6] resumes at every mark as if it had not stopped", async () => {
        const { importer } = generator;
        const formatItems = (items: readonly Item[]) =>
          JSON.stringify(items.map((item) => ({ ...item, blob: undefined })));
        for (const { claim } of (await detect(createMemoryTree(older, then), [importer])).claims) {
          const whole = await Array.fromAsync(importer.read(claim, answers));
          const marks = whole.flatMap((item, i) => (item.kind === "mark" ? [{ item, i }] : []));
          expect(marks.length).toBeGreaterThan(0);
          for (const { item, i } of marks) {
            const rest = await Array.fromAsync(importer.read(claim, answers, item));
            expect(formatItems(rest) === formatItems(whole.slice(i + 1)) ? "the same" : item).toBe("the same");
          }
        }
      });

      it("[IMP-5] yields the same items from any chunks, and no text that a vault rejects", async () => {
        const { files } = generator.hostile(createRandom(seed));
        const whole = await readRecords(generator, files, then);
        expect(whole.size).toBeGreaterThan(0);
        expect(await readRecords(generator, files, then, 7)).toEqual(whole);
        for (const text of whole.values())
          expect([text.includes("\\u0000"), text.isWellFormed()]).toEqual([false, true]);
      });

      describe.each(listEngines(generator))("on %s", (engine) => {
        it("[IMP-3] the same export twice changes nothing", () =>
          withVault(engine, async (owner) => {
            const first = sumReports(await importTree(owner, createMemoryTree(older, then)));
            expect(first).toMatchObject({ changed: 0, aside: 0 });
            const before = await listRecords(owner);
            // The same files from another folder, and written to disk at another time.
            const again = sumReports(await importTree(owner, createMemoryTree(older, later)));
            expect(again).toMatchObject({ stored: 0, changed: 0, unchanged: first.read });
            expect(await listRecords(owner)).toEqual(before);
          }));

        it("[IMP-33] an unchanged export is not stored again, and the same as if everything were read again", async () => {
          const exports = [older, older, newer, newer, older, newer];
          const importAll = (again: boolean) =>
            withVault(engine, async (owner) => {
              const repeated: number[] = [];
              for (const [n, files] of exports.entries()) {
                const at = files === older ? then : later;
                const tree = await addChecksums(createMemoryTree(files, at));
                const report = await importRest(owner, tree, { again });
                if (n % 2 === 1 && n < 4) repeated.push(sumReports(report.map(({ tally }) => tally)).read);
              }
              return { repeated, content: indexContent(await listRecords(owner)) };
            });
          const [repeating, reading] = [await importAll(false), await importAll(true)];
          expect(repeating.content).toEqual(reading.content);
          expect(reading.repeated.every((count) => count > 0)).toBe(true);
          expect(repeating.repeated).toEqual([0, 0]);
        });

        it("[IMP-27] items that share an id change nothing the second time, in any order", async () => {
          const importBoth = (folders: readonly [string, string], times: number) =>
            withVault(engine, async (owner) => {
              const files = { ...putInFolder(folders[0], older), ...putInFolder(folders[1], newer) };
              await importTree(owner, createMemoryTree(files, then));
              const before = await listRecords(owner);
              for (let n = 1; n < times; n += 1) {
                const again = sumReports(await importTree(owner, createMemoryTree(files, then)));
                expect(again).toMatchObject({ stored: 0, changed: 0 });
                expect(await listRecords(owner)).toEqual(before);
              }
              return indexContent(before);
            });
          expect(await importBoth(["a", "b"], 3)).toEqual(await importBoth(["b", "a"], 1));
        });

        it("[IMP-4] a newer export changes only what changed, in either order", async () => {
          const [a, b] = [await readRecords(generator, older, then), await readRecords(generator, newer, later)];
          const common = [...b.keys()].filter((key) => a.has(key));
          const [added, gone] = [b.size - common.length, a.size - common.length];
          const { mergeRules: merge = {} } = generator.importer;
          const parseStream = (key: string): string => key.slice(0, key.indexOf(":"));
          const changed = common.filter((key) => a.get(key) !== b.get(key));
          const plainly = changed.filter((key) => merge[parseStream(key)] === undefined);
          // A generator that changes nothing would prove nothing.
          expect([added, gone, changed.length].every((n) => n > 0)).toBe(true);

          const [onward, backward] = [
            await withVault(engine, async (owner) => {
              await importTree(owner, createMemoryTree(older, then));
              const tally = sumReports(await importTree(owner, createMemoryTree(newer, later)));
              expect(tally).toMatchObject({ stored: added, skipped: 0, aside: 0 });
              expect(tally.changed).toBeGreaterThanOrEqual(plainly.length);
              expect(tally.changed).toBeLessThanOrEqual(changed.length);
              return indexContent(await listRecords(owner));
            }),
            await withVault(engine, async (owner, { store }) => {
              await importTree(owner, createMemoryTree(newer, later));
              await importTree(owner, createMemoryTree(older, then));
              expect(await findIntegrityFaults(store)).toEqual([]);
              return indexContent(await listRecords(owner));
            }),
          ];
          expect(onward).toEqual(backward);
          const key = getConnectionId(generator);
          expect(Object.keys(onward).length).toBe(a.size + added);
          for (const [id, text] of b) {
            if (merge[parseStream(id)] === undefined) expect(onward[`${key}/${id}`]).toEqual(JSON.parse(text));
          }
        });

        it("[IMP-36] an older export imported later adds what only it has, and changes nothing newer", async () => {
          const [a, b] = [await readRecords(generator, older, then), await readRecords(generator, newer, later)];
          const { mergeRules: merge = {} } = generator.importer;
          const key = getConnectionId(generator);
          const onlyOlder = [...a.keys()].filter((id) => !b.has(id));
          expect(onlyOlder.length).toBeGreaterThan(0);
          await withVault(engine, async (owner, { store }) => {
            const importFiles = async (files: Files, at: number) => {
              const report = await importRest(owner, await addChecksums(createMemoryTree(files, at)));
              return sumReports(report.map(({ tally }) => tally));
            };
            await importFiles(newer, later);
            const before = indexVersions(await listRecords(owner));
            expect(await importFiles(older, then)).toMatchObject({ stored: onlyOlder.length, aside: 0 });
            const after = await listRecords(owner);
            const content = indexContent(after);
            for (const id of onlyOlder) expect(content).toHaveProperty([`${key}/${id}`]);
            const versions = indexVersions(after);
            for (const id of b.keys()) {
              // Merged fields, such as the folders of a mail, may gain what only the older export has.
              if (merge[id.slice(0, id.indexOf(":"))] === undefined)
                expect([id, versions[`${key}/${id}`]]).toEqual([id, before[`${key}/${id}`]]);
            }
            for (const [files, at] of [
              [newer, later],
              [older, then],
            ] as const)
              expect(await importFiles(files, at)).toMatchObject({ stored: 0, changed: 0 });
            expect(await listRecords(owner)).toEqual(after);
            expect(await findIntegrityFaults(store)).toEqual([]);
          });
        });

        it("[IMP-5] a broken export yields its good items, and accounts for the rest", () =>
          withVault(engine, async (owner, { store }) => {
            const { files, good } = generator.hostile(createRandom(seed));
            const tally = sumReports(await importTree(owner, createMemoryTree(files, then)));
            expect(tally.aside).toBeGreaterThan(0);
            expect(tally.stored + tally.unchanged + tally.changed).toBeGreaterThanOrEqual(good);
            expect(tally.read).toBe(tally.stored + tally.changed + tally.unchanged + tally.aside + tally.skipped);
            const kept = await owner.imports.listRejected("imp_test");
            expect(kept.length).toBe(tally.aside);
            for (const each of kept)
              expect([each.path, each.code, each.reason].every((text) => text !== "")).toBe(true);
            expect(await findIntegrityFaults(store)).toEqual([]);
            expect(sumReports(await importTree(owner, createMemoryTree(files, then)))).toMatchObject({
              stored: 0,
              changed: 0,
            });
          }));

        it("[IMP-6] stopped at any batch and restarted, it ends as if it had not stopped", async () => {
          const whole = await withVault(engine, async (owner) => {
            const tally = await importTree(owner, createMemoryTree(older, then));
            return { tally: sumReports(tally), records: await listRecords(owner) };
          });
          await withVault(engine, async (owner) => {
            for (const when of ["before", "after"] as const) {
              await expect(importTree(stopAtFirstBatch(owner, when), createMemoryTree(older, then))).rejects.toThrow(
                "stopped",
              );
            }
            const tally = sumReports(await importTree(owner, createMemoryTree(older, then)));
            expect(await listRecords(owner)).toEqual(whole.records);
            expect(tally).toEqual(whole.tally);
            expect(await owner.imports.list()).toMatchObject([{ finished_at: expect.any(String) }]);
          });
        });
      });
    },
  );
}

/** The first connection for a format has the key of its connector, which several formats may share. */
const getConnectionId = ({ importer }: Pick<Generator, "importer">): string => String(importer.manifest.connector_key);

/** By record: its version, which changes whenever the record does. */
const indexVersions = (records: readonly WireRecord[]): Record<string, string> =>
  Object.fromEntries(
    records.map(({ connection_id, stream, id, record_version }) => [
      `${connection_id}/${stream}:${id}`,
      record_version,
    ]),
  );

/** The changed items of an older and a newer export share their ids, as colliding items of one export do. */
const putInFolder = (folder: string, files: Files): Files =>
  Object.fromEntries(Object.entries(files).map(([path, content]) => [`${folder}/${path}`, content]));

/** Stops at the first batch: before it is stored, or after it is stored but before the response. */
function stopAtFirstBatch(owner: OwnerApi, when: "before" | "after"): OwnerApi {
  const store: OwnerApi["imports"]["store"] = async (batch) => {
    if (when === "after") await owner.imports.store(batch);
    throw new Error("stopped");
  };
  return { ...owner, imports: { ...owner.imports, store } };
}
