import type { JsonObject } from "@pdpp/contract/declaration";
import type { OwnerApi } from "@pdpp/contract/owner";
import type { Claim, Importer, Item } from "@pdpp/importers/importer";
import { detect } from "@pdpp/importers/plan";
import { createCliVault } from "@pdpp/test-support/cli/cli-vault";
import { createVault, engineNames, type TestVault } from "@pdpp/test-support/vaults/new-vault";
import { createRandom } from "@pdpp/test-support/vitest/random";
import { describe, expect, it } from "vitest";
import { mark, maxRawBytes, reject } from "#importers/core/items";
import { readFileElements } from "#importers/core/parsing/json-elements";
import { text } from "#importers/core/records/field";
import { defineManifest, defineStream } from "#importers/core/records/schema";
import { retryRejected } from "#importers/core/retry";
import { splitMails } from "#importers/formats/mail/split";
import type { Entry } from "#importers/tree/tree";
import { retryImport } from "#importing/store/retry-import";
import type { WriteTransaction } from "#server/store/engine/engine";
import { migrateTo } from "#server/store/engine/migrate";
import { schemaVersion } from "#server/store/engine/migrations";
import { raw, sql } from "#server/store/engine/sql";
import { findIntegrityFaults } from "../../store/integrity.ts";
import { generators } from "../generators/all.ts";
import type { Generator } from "../generators/generator.ts";
import { claudeGenerator } from "../generators/messages/claude.ts";
import { mailGenerator } from "../generators/messages/mail.ts";
import { whatsappGenerator } from "../generators/messages/whatsapp.ts";
import { answers, createMemoryTree, importTree, indexContent, listRecords, openOwner, sumReports } from "../support.ts";

/** The first schema in which rejected items have a kind. */
const schemaWithKind = 13;
const now = Date.UTC(2026, 10, 1);

/** The items of a file, each with its own bytes. */
async function* listRawItems({ key }: Importer, entry: Entry): AsyncGenerator<Uint8Array> {
  if (key === "mail-files") for await (const { bytes } of splitMails(entry, 0)) yield bytes;
  else if (key === "vcard") {
    const whole = Buffer.concat(await Array.fromAsync(entry.bytes())).toString("utf8");
    for (const [card] of whole.matchAll(/BEGIN:VCARD[\s\S]*?END:VCARD\r?\n/g)) yield Buffer.from(card);
  } else for await (const { raw } of readFileElements(entry, 0)) yield raw;
}

/** An importer as it was: every second item it could not read. */
const createOlderImporter = (importer: Importer): Importer => ({
  ...importer,
  version: "0",
  async *read(claim: Claim): AsyncGenerator<Item> {
    for (const [index, entry] of claim.entries.entries()) {
      let n = 0;
      for await (const raw of listRawItems(importer, entry)) {
        n += 1;
        if (n % 2 === 0) yield reject(entry.path, n, "malformed", "not known yet", raw);
        else {
          const alone = await retryRejected(importer, { path: entry.path, raw, exportedAt: claim.exportedAt }, answers);
          if (alone.kind === "read") yield* alone.records;
        }
      }
      yield mark(index + 1, 0);
    }
  },
});

const readDocument = (owner: OwnerApi) => owner.imports.get("imp_test");

async function withVault(
  engine: (typeof engineNames)[number],
  work: (owner: OwnerApi, vault: TestVault) => Promise<void>,
) {
  const vault = await createVault(engine);
  try {
    await work(await openOwner(vault, () => now), vault);
  } finally {
    await vault.drop();
  }
}

const readTally = async (owner: OwnerApi) => sumReports((await readDocument(owner)).parts.map(({ tally }) => tally));

describe.each(engineNames)("[IMP-18] retrying rejected items on %s", (engine) => {
  it.each([claudeGenerator, mailGenerator])(
    "is read by a better importer, and counted as if it had been read at first",
    (generator) =>
      withVault(engine, async (owner, { store }) => {
        const tree = createMemoryTree(generator.pair(createRandom(5), 8).older, 1000);
        await importTree(owner, tree, { importers: [createOlderImporter(generator.importer)] });
        const before = await readTally(owner);
        expect(before.aside).toBeGreaterThan(2);

        const report = await retryImport(owner, await readDocument(owner));
        expect(report).toEqual({ mended: before.aside, again: 0, files: [] });
        const after = await readTally(owner);
        expect(after).toMatchObject({ aside: 0 });
        expect(after.stored).toBeGreaterThan(before.stored);
        expect(after.read).toBe(after.stored + after.changed + after.unchanged + after.skipped);
        expect((await readDocument(owner)).parts[0]?.tally.mended).toBe(before.aside);
        expect(await owner.imports.listRejected("imp_test")).toEqual([]);
        expect(await findIntegrityFaults(store)).toEqual([]);

        const records = await listRecords(owner);
        for (const { connection_id, stream, id } of records)
          expect(await owner.imports.findOrigin(connection_id, stream, id)).toMatchObject({ first_import: "imp_test" });
        // The whole export has nothing to add.
        expect(sumReports(await importTree(owner, tree))).toMatchObject({ stored: 0, aside: 0 });
        expect(indexContent(await listRecords(owner))).toEqual(indexContent(records));
      }),
  );

  it("leaves an item unchanged that still cannot be read, once and twice", () =>
    withVault(engine, async (owner) => {
      for (const { hostile } of [claudeGenerator, mailGenerator])
        await importTree(owner, createMemoryTree(hostile(createRandom(5)).files, 1000));
      const [document, records] = [await readDocument(owner), await listRecords(owner)];
      const kept = await owner.imports.listRejected("imp_test");
      for (let times = 0; times < 2; times += 1) {
        const { mended, again } = await retryImport(owner, await readDocument(owner));
        expect([mended, again]).toEqual([0, kept.length]);
        expect(await readDocument(owner)).toEqual(document);
        expect(await listRecords(owner)).toEqual(records);
        expect(await owner.imports.listRejected("imp_test")).toEqual(kept);
      }
    }));

  it("can be stopped safely at any item", () =>
    withVault(engine, async (owner, { store }) => {
      const tree = createMemoryTree(claudeGenerator.pair(createRandom(5), 12).older, 1000);
      await importTree(owner, tree, { importers: [createOlderImporter(claudeGenerator.importer)] });
      const { aside: all } = await readTally(owner);
      for (const when of ["before", "after"] as const) {
        const retryAndStop: OwnerApi["imports"]["retryRejected"] = async (mending) => {
          if (when === "after") await owner.imports.retryRejected(mending);
          throw new Error("stopped");
        };
        const stopped = { ...owner, imports: { ...owner.imports, retryRejected: retryAndStop } };
        await expect(retryImport(stopped, await readDocument(owner))).rejects.toThrow("stopped");
        const tally = await readTally(owner);
        expect(tally.aside).toBe(when === "after" ? all - 1 : all);
        expect(tally.read).toBe(tally.stored + tally.changed + tally.unchanged + tally.aside + tally.skipped);
      }
      const [one] = await owner.imports.listRejectedForRetry("imp_test");
      if (one === undefined) throw new Error("nothing is aside");
      expect(await retryImport(owner, await readDocument(owner))).toMatchObject({ mended: all - 1, again: 0 });
      // Somebody else was faster.
      const { part_id, number } = one;
      const late = { part_id, number, importer_version: "1", records: [], merge: {}, skipped: {}, blobs: 0 };
      expect(await owner.imports.retryRejected(late)).toMatchObject({ is_mended: false });
      expect(await findIntegrityFaults(store)).toEqual([]);
    }));

  it("names the file of an item that cannot be read alone or was too long to keep", () =>
    withVault(engine, async (owner) => {
      await importTree(owner, createMemoryTree(whatsappGenerator.hostile(createRandom(5)).files, 1000));
      const long = createOlderImporter(mailGenerator.importer);
      const mails = ["a", "b"].map(
        (id) =>
          `From x Tue Jan 01 00:00:00 2019\nMessage-ID: <${id}@example.org>\nFrom: a@example.org\n\n${"long ".repeat(maxRawBytes)}\n\n`,
      );
      await importTree(owner, createMemoryTree({ "All.mbox": mails.join("") }, 1000), { importers: [long] });
      const { mended, again, files } = await retryImport(owner, await readDocument(owner));
      expect([mended, again]).toEqual([0, 0]);
      expect(files).toEqual([
        {
          connection_id: "whatsapp",
          path: "WhatsApp Chat with Eve.txt",
          items: 2,
          reason: "it cannot be read without its file",
        },
        { connection_id: "mail-files", path: "All.mbox", items: 1, reason: "only its beginning was kept" },
      ]);
    }));

  it("stores a record that the vault rejected if a newer manifest accepts it", () =>
    withVault(engine, async (owner) => {
      const createPlantImporter = (version: string, required: readonly string[]): Importer => {
        const declared: JsonObject = defineManifest("plants", "Plants", version, [
          defineStream({
            name: "plants",
            label: "Plants",
            description: "Plants.",
            time: "at",
            fields: { id: text(), name: { type: "string" }, at: { type: "string", format: "date-time" } },
            search: ["name"],
          }),
        ]);
        const [first] = Array.isArray(declared.streams) ? declared.streams : [];
        if (typeof first === "object" && first !== null && !Array.isArray(first))
          first.schema = { ...(first.schema as JsonObject), required: [...required] };
        return {
          key: "plants",
          title: "Plants",
          version,
          testedWith: "unproven",
          manifest: declared,
          mainStream: "plants",
          sniff: () => true,
          createClaims: async (found) => [
            { format: "plants", label: "Plants", entries: found, companions: [], exportedAt: 1000, questions: [] },
          ],
          async *read() {
            yield { kind: "record", stream: "plants", data: { id: "1", name: "Fern", at: "2026-01-01T00:00:00Z" } };
            yield { kind: "record", stream: "plants", data: { id: "2", at: "2026-01-01T00:00:00Z" } };
            yield mark(1, 0);
          },
        };
      };
      const strict = createPlantImporter("1.0.0", ["id", "name"]);
      await importTree(owner, createMemoryTree({ "plants.txt": "x" }, 1000), { importers: [strict] });
      expect(await readTally(owner)).toMatchObject({ read: 2, stored: 1, aside: 1 });
      expect(await owner.imports.listRejected("imp_test")).toMatchObject([
        { kind: "record", stream: "plants", path: "" },
      ]);
      expect(await retryImport(owner, await readDocument(owner), [strict])).toMatchObject({ mended: 0, again: 1 });
      expect(await retryImport(owner, await readDocument(owner), [createPlantImporter("1.1.0", ["id"])])).toMatchObject(
        {
          mended: 1,
          again: 0,
        },
      );
      expect(await readTally(owner)).toMatchObject({ read: 2, stored: 2, aside: 0 });
    }));
});

const setSchema = (on: WriteTransaction, version: number): Promise<unknown> =>
  on.run(sql`UPDATE meta SET value = ${String(version)} WHERE name = 'schema_version'`);

describe.each(engineNames)("[IMP-24] a mailbox named like its stream, on %s", (engine) => {
  const findNamed = (): Record<string, string | Uint8Array> => {
    const [mailbox] = Object.values(mailGenerator.pair(createRandom(5), 8).older);
    return { messages: mailbox ?? "" };
  };

  it("is retried as a part of a file", () =>
    withVault(engine, async (owner) => {
      await importTree(owner, createMemoryTree(findNamed(), 1000), {
        importers: [createOlderImporter(mailGenerator.importer)],
      });
      const { aside: all } = await readTally(owner);
      expect(all).toBeGreaterThan(2);
      const kept = await owner.imports.listRejected("imp_test");
      expect(new Set(kept.map(({ kind, stream, path }) => `${kind} ${stream} ${path}`))).toEqual(
        new Set(["part messages messages"]),
      );
      expect(await retryImport(owner, await readDocument(owner))).toEqual({ mended: all, again: 0, files: [] });
    }));

  it("is distinguished from a rejected record in a vault that did not store which", () =>
    withVault(engine, async (owner, vault) => {
      const importers = [createOlderImporter(mailGenerator.importer)];
      await importTree(owner, createMemoryTree(findNamed(), 1000), { importers });
      const { aside: all } = await readTally(owner);
      const { engine: tables } = vault.store;
      // As the version before stored them: no kind, and the stream of a refused record in the place of its file.
      const refused = JSON.stringify({ id: "1" });
      await tables.write(async (on) => {
        await on.run(
          sql`UPDATE import_aside SET code = 'schema_violation', place = 0, raw = ${Buffer.from(refused)} WHERE n = 0`,
        );
        await on.run(raw("ALTER TABLE import_aside DROP COLUMN kind"));
        await setSchema(on, schemaWithKind - 1);
        await migrateTo(on, schemaWithKind);
        await setSchema(on, schemaVersion);
      });
      const [first, ...others] = await owner.imports.listRejected("imp_test");
      expect([first?.kind, first?.path]).toEqual(["record", ""]);
      expect(new Set(others.map(({ kind }) => kind))).toEqual(new Set(["part"]));
      expect(await retryImport(owner, await readDocument(owner))).toEqual({ mended: all, again: 0, files: [] });
    }));
});

const standing = generators.filter(({ importer }) => importer.toStandaloneFile !== undefined);

it.each(standing.map((generator): [string, Generator] => [generator.importer.key, generator]))(
  "[IMP-18] an item of %s read alone gives the records that it gives in its file",
  async (_, { importer, pair }) => {
    const { claims } = await detect(createMemoryTree(pair(createRandom(3), 6).older, 1000), [importer]);
    let read = 0;
    for (const { claim } of claims) {
      const whole = new Set<string>();
      for await (const item of importer.read(claim, answers))
        if (item.kind === "record") whole.add(JSON.stringify(item.data));
      for (const entry of claim.entries)
        for await (const raw of listRawItems(importer, entry)) {
          const alone = await retryRejected(importer, { path: entry.path, raw, exportedAt: 1000 }, answers);
          if (alone.kind !== "read") continue;
          read += 1;
          for (const { data } of alone.records) expect(whole.has(JSON.stringify(data))).toBe(true);
        }
    }
    expect(read).toBeGreaterThan(2);
  },
);

it("[IMP-18] pdpp imports ID --retry reports the outcome, and what to do with the rest", async () => {
  const vault = createCliVault({ isInProcess: true });
  try {
    const broken = '[17, {"uuid": "c1", "name": "Boiler", "chat_messages": []}]';
    vault.file("conversations.json", broken);
    const files = whatsappGenerator.hostile(createRandom(5)).files;
    for (const [name, content] of Object.entries(files)) vault.file(name, content);
    const paths = ["conversations.json", ...Object.keys(files)].map((name) => `${vault.directory}/${name}`);
    const { import_id: id } = await vault.json<{ import_id: string }>([
      "import",
      ...paths,
      "--time-zone",
      "UTC",
      "--yes",
    ]);
    const { stdout, code } = await vault.run(["imports", id, "--retry"]);
    expect([code, stdout.split("\n")]).toEqual([
      0,
      [
        "0 items imported",
        `1 item still unreadable: npx pdpp imports ${id} --aside`,
        "These need the original file, if you still have it:",
        "  2 items of WhatsApp Chat with Eve.txt: it cannot be read without its file; npx pdpp import PATH --into whatsapp",
        "",
      ],
    ]);
    const nameless = await vault.run(["imports", "--retry"]);
    expect([nameless.code, nameless.stderr]).toEqual([64, expect.stringContaining("pdpp imports ID --retry")]);
  } finally {
    vault.drop();
  }
});
