import { createHash } from "node:crypto";
import type { JsonObject } from "@pdpp/contract/declaration";
import { parseManifest } from "@pdpp/contract/manifest";
import type { ReadApi } from "@pdpp/contract/operations";
import type { BlobRef, SearchResult } from "@pdpp/contract/wire";
import { createVault, engineNames, type TestVault } from "@pdpp/test-support/vaults/new-vault";
import { putRecords } from "@pdpp/test-support/vaults/sample";
import { describe, expect, it } from "vitest";
import { authenticate } from "#server/auth/authenticate";
import { issueGrant } from "#server/auth/issue";
import { addConnection } from "#server/owner/connections";
import { createOwner } from "#server/owner/owner";
import { pruneRecords } from "#server/owner/records";
import { createReader } from "#server/read/reader";
import { findIntegrityFaults } from "#server/store/conformance/integrity";
import { dumpEverything } from "#server/store/conformance/vault";
import { pdf } from "../importers/pdf-writer.ts";

const now = Date.parse("2026-06-01T12:00:00Z");

const papers = (search: JsonObject): JsonObject => ({
  connector_key: "papers",
  version: "1",
  streams: [
    {
      name: "papers",
      semantics: "mutable_state",
      primary_key: ["id"],
      selection: { fields: true, resources: true },
      schema: {
        type: "object",
        required: ["id"],
        properties: {
          id: { type: "string" },
          title: { type: "string", x_pdpp_role: "primary-title" },
          scan: { type: ["object", "null"], x_pdpp_type: "blob" },
          attachments: { type: "array", x_pdpp_type: "blob" },
        },
      },
      query: { search },
    },
  ],
});

const searched = { lexical_fields: ["title"], blob_text_fields: ["scan", "attachments"] };

type Reader = Pick<ReadApi, "search" | "readField">;

interface World {
  readonly vault: TestVault;
  readonly reader: Reader;
  stored(content: string | Uint8Array, type: string): Promise<BlobRef>;
  write(data: JsonObject): Promise<void>;
  readerOf(fields?: readonly string[]): Promise<ReadApi>;
}

async function inVault(
  engine: (typeof engineNames)[number],
  search: JsonObject,
  work: (world: World) => Promise<void>,
): Promise<void> {
  const vault = await createVault(engine, "a secret for both vaults");
  try {
    const { store } = vault;
    await store.register(parseManifest(papers(search)), now);
    await addConnection(store, 1, { connectorKey: "papers", id: "p" }, now);
    const owner = createOwner({ store, ownerNo: 1, now: () => now });
    const readerOf = async (fields?: readonly string[]): Promise<ReadApi> => {
      const stream = { name: "papers", ...(fields === undefined ? {} : { fields: [...fields] }) };
      const sources = [{ connector_key: "papers", streams: [stream] }];
      const { token } = await issueGrant(store, 1, { client: { name: "client" }, sources }, now);
      return createReader({ store, scope: await authenticate(store, token, now) });
    };
    await work({
      vault,
      readerOf,
      // A scope is made for each request: the first record gives a stream its index.
      reader: {
        search: async (input) => (await readerOf()).search(input),
        readField: async (input) => (await readerOf()).readField(input),
      },
      stored: (content, type) => owner.blobs.put({ mime_type: type }, chunksOf(content)),
      write: (data) => putRecords(vault, "p", "papers", [{ data }], now).then(() => undefined),
    });
  } finally {
    await vault.drop();
  }
}

async function* chunksOf(content: string | Uint8Array): AsyncGenerator<Uint8Array> {
  yield Buffer.from(content);
}

const reference = ({ blob_id, mime_type, size_bytes }: BlobRef): JsonObject => ({ blob_id, mime_type, size_bytes });

const hits = async (reader: Pick<Reader, "search">, q: string): Promise<SearchResult[]> =>
  (await reader.search({ q })).data;
const idsOf = async (reader: Pick<Reader, "search">, q: string): Promise<string[]> =>
  (await hits(reader, q)).map(({ record_key }) => record_key);

describe.each(engineNames)("the text of blobs in searches on %s", (engine) => {
  it("[SRCH-40] finds a record by the text of its PDF, and proves it with the read that goes on there", () =>
    inVault(engine, searched, async ({ vault, reader, stored, write }) => {
      const offer = pdf(["The first page is about gutters.", "On the second page the boiler costs 600 euros."]);
      const page = "<h1>Lease</h1><p>The tenancy ends in May.</p>";
      await write({ id: "offer", title: "An offer", scan: reference(await stored(offer, "application/pdf")) });
      await write({
        id: "lease",
        title: "Papers",
        attachments: [
          reference(await stored(Buffer.from("\x89PNG", "latin1"), "image/png")),
          reference(await stored(page, "text/html")),
          reference(await stored("plain words about a cellar", "text/plain")),
        ],
      });
      const [hit, ...others] = await hits(reader, "boiler costs");
      expect(others).toEqual([]);
      expect(hit).toMatchObject({ record_key: "offer", title: "An offer", matched_fields: ["scan{text}"] });
      const [evidence] = hit?.evidence ?? [];
      expect(evidence).toMatchObject({ field_path: "scan{text}", preview: expect.stringContaining("costs 600 euros") });
      const window = await reader.readField({
        stream: "papers",
        record_id: "offer",
        connection_id: "p",
        field: evidence?.field_path ?? "",
        q: "boiler costs",
      });
      expect(window.window.match_start_chars).toBe(evidence?.match[0]?.start_chars);
      expect((await hits(reader, "tenancy"))[0]?.matched_fields).toEqual(["attachments[1]{text}"]);
      expect((await hits(reader, "cellar"))[0]?.matched_fields).toEqual(["attachments[2]{text}"]);
      expect(await findIntegrityFaults(vault.store)).toEqual([]);
    }));

  it("[SRCH-41] a blob outside the grant is found by nobody, and changes nothing", async () => {
    const answers: unknown[] = [];
    for (const words of ["submarine boiler periscope", "nothing of the kind here"]) {
      await inVault(engine, searched, async ({ readerOf, stored, write }) => {
        const size = 2000;
        const text = words.padEnd(size, " ");
        await write({ id: "one", title: "The boiler", scan: reference(await stored(text, "text/plain")) });
        await write({ id: "two", title: "A summer house" });
        const hidden = await readerOf(["id", "title"]);
        for (const q of ["submarine", "boiler", "boilers periscope", "boiler summer"])
          answers.push((await hits(hidden, q)).map(({ record_key, score, evidence }) => [record_key, score, evidence]));
        expect(await idsOf(await readerOf(), words.split(" ")[0] ?? "")).toEqual(["one"]);
      });
    }
    expect(answers.slice(0, answers.length / 2)).toEqual(answers.slice(answers.length / 2));
  });

  it("[SRCH-40] words go when the record changes or is deleted, and the bytes take their text with them", () =>
    inVault(engine, searched, async ({ vault, reader, stored, write }) => {
      const first = reference(await stored(pdf(["a periscope"]), "application/pdf"));
      const second = reference(await stored(pdf(["a gramophone"]), "application/pdf"));
      await write({ id: "one", title: "Papers", scan: first });
      expect(await idsOf(reader, "periscope")).toEqual(["one"]);
      await write({ id: "one", title: "Papers", scan: second });
      expect([await idsOf(reader, "periscope"), await idsOf(reader, "gramophone")]).toEqual([[], ["one"]]);
      await write({ id: "one", title: "Changed", scan: second });
      expect(await idsOf(reader, "gramophone")).toEqual(["one"]);
      await putRecords(vault, "p", "papers", [{ op: "delete", data: { id: "one" } }], now);
      expect(await idsOf(reader, "gramophone")).toEqual([]);
      await pruneRecords(vault.store, 1, now + 1e10);
      expect(await findIntegrityFaults(vault.store)).toEqual([]);
      const left = await dumpEverything(vault);
      for (const word of ["periscope", "gramophone"]) expect(left).not.toContain(word);
    }));

  it("[SRCH-40] a blob that comes after its record is indexed when it comes", () =>
    inVault(engine, searched, async ({ vault, reader, stored, write }) => {
      const late = pdf(["a zeppelin over the lake"]);
      const blob_id = `blob_sha256_${createHash("sha256").update(late).digest("hex")}`;
      await write({ id: "late", title: "Early", scan: { blob_id, mime_type: "application/pdf" } });
      expect(await idsOf(reader, "zeppelin")).toEqual([]);
      await stored(late, "application/pdf");
      expect(await idsOf(reader, "zeppelin")).toEqual(["late"]);
      expect(await idsOf(reader, "early")).toEqual(["late"]);
      expect(await findIntegrityFaults(vault.store)).toEqual([]);
    }));

  it("[SRCH-42] a newer manifest makes the text of blobs searchable that were there before", () =>
    inVault(engine, { lexical_fields: ["title"] }, async ({ vault, reader, stored, write }) => {
      await write({
        id: "old",
        title: "Papers",
        scan: reference(await stored(pdf(["a trombone"]), "application/pdf")),
      });
      expect(await idsOf(reader, "trombone")).toEqual([]);
      await vault.store.register(parseManifest({ ...papers(searched), version: "2" }), now);
      await vault.store.reindex();
      expect(await idsOf(reader, "trombone")).toEqual(["old"]);
      expect(await findIntegrityFaults(vault.store)).toEqual([]);
    }));
});

it("[SRCH-42] a manifest may only name fields that hold blobs", () => {
  const faults = (names: readonly string[]): unknown => {
    try {
      parseManifest(papers({ blob_text_fields: [...names] }));
      return "none";
    } catch (error) {
      return error;
    }
  };
  expect(faults(["scan"])).toBe("none");
  expect(String(faults(["title"]))).toContain("blob_text_fields[0]");
  expect(String(faults(["gone"]))).toContain("blob_text_fields[0]");
});
