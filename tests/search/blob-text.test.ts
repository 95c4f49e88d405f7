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
import { writePdf } from "../importers/documents/pdf-writer.ts";
import { findIntegrityFaults } from "../store/integrity.ts";
import { dumpEverything } from "../store/vault.ts";

const now = Date.parse("2026-06-01T12:00:00Z");

const createManifest = (search: JsonObject): JsonObject => ({
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

async function withVault(
  engine: (typeof engineNames)[number],
  search: JsonObject,
  work: (world: World) => Promise<void>,
): Promise<void> {
  const vault = await createVault(engine, "a secret for both vaults");
  try {
    const { store } = vault;
    await store.register(parseManifest(createManifest(search)), now);
    await addConnection(store, 1, { connectorKey: "papers", id: "p" }, now);
    const owner = createOwner({ store, ownerNo: 1, now: () => now });
    const createGrantReader = async (fields?: readonly string[]): Promise<ReadApi> => {
      const stream = { name: "papers", ...(fields === undefined ? {} : { fields: [...fields] }) };
      const sources = [{ connector_key: "papers", streams: [stream] }];
      const { token } = await issueGrant(store, 1, { client: { name: "client" }, sources }, now);
      return createReader({ store, scope: await authenticate(store, token, now) });
    };
    await work({
      vault,
      readerOf: createGrantReader,
      // Made for each request, because a stream gets its index with its first record.
      reader: {
        search: async (input) => (await createGrantReader()).search(input),
        readField: async (input) => (await createGrantReader()).readField(input),
      },
      stored: (content, type) => owner.blobs.put({ mime_type: type }, streamContent(content)),
      write: (data) => putRecords(vault, "p", "papers", [{ data }], now).then(() => undefined),
    });
  } finally {
    await vault.drop();
  }
}

async function* streamContent(content: string | Uint8Array): AsyncGenerator<Uint8Array> {
  yield Buffer.from(content);
}

const makeReference = ({ blob_id, mime_type, size_bytes }: BlobRef): JsonObject => ({ blob_id, mime_type, size_bytes });

const findHits = async (reader: Pick<Reader, "search">, q: string): Promise<SearchResult[]> =>
  (await reader.search({ q })).data;
const findIds = async (reader: Pick<Reader, "search">, q: string): Promise<string[]> =>
  (await findHits(reader, q)).map(({ record_key }) => record_key);

describe.each(engineNames)("searching the text of blobs on %s", (engine) => {
  it("[SRCH-40] finds a record by the text of its PDF, and links to that place in the text", () =>
    withVault(engine, searched, async ({ vault, reader, stored, write }) => {
      const offer = writePdf(["The first page is about gutters.", "On the second page the boiler costs 600 euros."]);
      const page = "<h1>Lease</h1><p>The tenancy ends in May.</p>";
      await write({ id: "offer", title: "An offer", scan: makeReference(await stored(offer, "application/pdf")) });
      await write({
        id: "lease",
        title: "Papers",
        attachments: [
          makeReference(await stored(Buffer.from("\x89PNG", "latin1"), "image/png")),
          makeReference(await stored(page, "text/html")),
          makeReference(await stored("plain words about a cellar", "text/plain")),
        ],
      });
      const [hit, ...others] = await findHits(reader, "boiler costs");
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
      expect((await findHits(reader, "tenancy"))[0]?.matched_fields).toEqual(["attachments[1]{text}"]);
      expect((await findHits(reader, "cellar"))[0]?.matched_fields).toEqual(["attachments[2]{text}"]);
      expect(await findIntegrityFaults(vault.store)).toEqual([]);
    }));

  it("[SRCH-41] does not find a blob outside the grant, nor let it change the results", async () => {
    const answers: unknown[] = [];
    for (const words of ["submarine boiler periscope", "nothing of the kind here"]) {
      await withVault(engine, searched, async ({ readerOf: createGrantReader, stored, write }) => {
        const size = 2000;
        const text = words.padEnd(size, " ");
        await write({ id: "one", title: "The boiler", scan: makeReference(await stored(text, "text/plain")) });
        await write({ id: "two", title: "A summer house" });
        const hidden = await createGrantReader(["id", "title"]);
        for (const q of ["submarine", "boiler", "boilers periscope", "boiler summer"])
          answers.push(
            (await findHits(hidden, q)).map(({ record_key, score, evidence }) => [record_key, score, evidence]),
          );
        expect(await findIds(await createGrantReader(), words.split(" ")[0] ?? "")).toEqual(["one"]);
      });
    }
    expect(answers.slice(0, answers.length / 2)).toEqual(answers.slice(answers.length / 2));
  });

  it("[SRCH-40] forgets words when the record changes or is deleted, and the text when the blob is deleted", () =>
    withVault(engine, searched, async ({ vault, reader, stored, write }) => {
      const first = makeReference(await stored(writePdf(["a periscope"]), "application/pdf"));
      const second = makeReference(await stored(writePdf(["a gramophone"]), "application/pdf"));
      await write({ id: "one", title: "Papers", scan: first });
      expect(await findIds(reader, "periscope")).toEqual(["one"]);
      await write({ id: "one", title: "Papers", scan: second });
      expect([await findIds(reader, "periscope"), await findIds(reader, "gramophone")]).toEqual([[], ["one"]]);
      await write({ id: "one", title: "Changed", scan: second });
      expect(await findIds(reader, "gramophone")).toEqual(["one"]);
      await putRecords(vault, "p", "papers", [{ op: "delete", data: { id: "one" } }], now);
      expect(await findIds(reader, "gramophone")).toEqual([]);
      await pruneRecords(vault.store, 1, now + 1e10);
      expect(await findIntegrityFaults(vault.store)).toEqual([]);
      const left = await dumpEverything(vault);
      for (const word of ["periscope", "gramophone"]) expect(left).not.toContain(word);
    }));

  it("[SRCH-40] indexes a blob that is stored after its record", () =>
    withVault(engine, searched, async ({ vault, reader, stored, write }) => {
      const late = writePdf(["a zeppelin over the lake"]);
      const blob_id = `blob_sha256_${createHash("sha256").update(late).digest("hex")}`;
      await write({ id: "late", title: "Early", scan: { blob_id, mime_type: "application/pdf" } });
      expect(await findIds(reader, "zeppelin")).toEqual([]);
      await stored(late, "application/pdf");
      expect(await findIds(reader, "zeppelin")).toEqual(["late"]);
      expect(await findIds(reader, "early")).toEqual(["late"]);
      expect(await findIntegrityFaults(vault.store)).toEqual([]);
    }));

  it("[SRCH-42] makes existing blobs searchable when a newer manifest says so", () =>
    withVault(engine, { lexical_fields: ["title"] }, async ({ vault, reader, stored, write }) => {
      await write({
        id: "old",
        title: "Papers",
        scan: makeReference(await stored(writePdf(["a trombone"]), "application/pdf")),
      });
      expect(await findIds(reader, "trombone")).toEqual([]);
      await vault.store.register(parseManifest({ ...createManifest(searched), version: "2" }), now);
      await vault.store.reindex();
      expect(await findIds(reader, "trombone")).toEqual(["old"]);
      expect(await findIntegrityFaults(vault.store)).toEqual([]);
    }));
});

it("[SRCH-42] rejects a manifest that names a field without blobs", () => {
  const validate = (names: readonly string[]): unknown => {
    try {
      parseManifest(createManifest({ blob_text_fields: [...names] }));
      return "none";
    } catch (error) {
      return error;
    }
  };
  expect(validate(["scan"])).toBe("none");
  expect(String(validate(["title"]))).toContain("blob_text_fields[0]");
  expect(String(validate(["gone"]))).toContain("blob_text_fields[0]");
});
