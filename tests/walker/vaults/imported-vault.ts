import type { JsonObject, StreamDeclaration } from "@pdpp/contract/declaration";
import { findForeignKeyHolder } from "@pdpp/contract/manifest";
import { createVault, type EngineName } from "@pdpp/test-support/vaults/new-vault";
import { createRandom } from "@pdpp/test-support/vitest/random";
import type { Files, Generator } from "../../importers/generators/generator.ts";
import { createMemoryTree, importTree, listRecords, openOwner } from "../../importers/support.ts";
import { createDice, type Dice } from "../../model/generators/dice.ts";
import { createMark } from "../../model/generators/values.ts";
import { type LoadedVault, wrapVault } from "../../model/loaded-vault.ts";
import type { BlobSpec, FieldSpec, GrantRequest, StreamSpec, VaultSpec } from "../../model/spec.ts";

/** A vault filled by importing an ordinary export and a broken one, with canaries among their words. */

export interface ImportedVault {
  readonly vault: LoadedVault;
  readonly spec: VaultSpec;
  readonly grants: readonly GrantRequest[];
}

const exportedAt = Date.UTC(2026, 0, 1);
const importedAt = Date.UTC(2026, 5, 1);

/** Words used by the generators; each occurrence becomes another canary. */
const marked = /\b(?:saffron|dentist|piano|ladder|mushroom)\b/g;

export async function createImportedVault(
  engine: EngineName,
  generator: Generator,
  seed: number,
): Promise<ImportedVault> {
  const filled = await createVault(engine);
  try {
    const owner = await openOwner(filled, () => importedAt);
    const numbers = { next: 1_000_000 };
    const source = createRandom(seed);
    for (const files of [generator.pair(source, 8).older, generator.hostile(source).files])
      await importTree(owner, createMemoryTree(withMarks(files, numbers), exportedAt), {
        importers: [generator.importer],
      });
    const vault = wrapVault(filled);
    const records = await listRecords(owner);
    const { connectors } = await filled.store.catalog();
    const connections = (await owner.connections.list()).map(({ connection_id, connector_key }) => ({
      id: connection_id,
      connectorKey: connector_key,
    }));
    const spec: VaultSpec = {
      connectors: [...connectors].map(([key, { declaration }]) => ({
        key,
        streams: declaration.streams.map((stream) => asSpec(stream, declaration.streams)),
      })),
      connections,
      blobs: await loadBlobs(
        vault,
        records.map(({ data }) => data),
      ),
      writes: [
        records.map(({ connection_id, stream, id, data, emitted_at }) => ({
          connectionId: connection_id,
          connectorKey: connections.find((each) => each.id === connection_id)?.connectorKey ?? "",
          stream,
          op: "upsert",
          key: id,
          data,
          emittedAt: emitted_at,
        })),
      ],
    };
    return { vault, spec, grants: [everything(spec), someFields(spec, createDice(seed, 3))] };
  } catch (error) {
    await filled.drop();
    throw error;
  }
}

const withMarks = (files: Files, numbers: { next: number }): Files =>
  Object.fromEntries(
    Object.entries(files).map(([path, content]) => [
      path,
      typeof content === "string" ? content.replaceAll(marked, () => createMark(numbers.next++)) : content,
    ]),
  );

const asSpec = (stream: StreamDeclaration, streams: readonly StreamDeclaration[]): StreamSpec => ({
  name: stream.name,
  semantics: stream.semantics,
  primaryKey: stream.primaryKey,
  fields: stream.fields.map(
    ({ name, kind, nullable, blob, rangeOperators, aggregations, role, lexical, schema }): FieldSpec => ({
      name,
      kind,
      nullable,
      required: !nullable,
      blob,
      range: rangeOperators,
      aggregations,
      lexical,
      ...(role === undefined ? {} : { role }),
      ...(typeof schema.contentEncoding === "string" ? { encoding: schema.contentEncoding } : {}),
    }),
  ),
  ...(stream.cursorField === undefined ? {} : { cursorField: stream.cursorField }),
  ...(stream.consentTimeField === undefined ? {} : { consentTimeField: stream.consentTimeField }),
  views: stream.views,
  relationships: stream.relationships.flatMap((each) => {
    const related = streams.find(({ name }) => name === each.stream);
    if (related === undefined) return [];
    const { name, foreignKey, cardinality } = each;
    return [
      {
        name,
        stream: each.stream,
        foreignKey,
        cardinality,
        holder: findForeignKeyHolder(stream, related, each),
        expand: null,
      },
    ];
  }),
  countable: stream.countable,
});

async function loadBlobs(vault: LoadedVault, data: readonly JsonObject[]): Promise<BlobSpec[]> {
  const token = await vault.ownerToken();
  const ids = new Set(JSON.stringify(data).match(/blob_sha256_[0-9a-f]+/g) ?? []);
  const blobs: BlobSpec[] = [];
  for (const id of ids) {
    const { status, headers, bytes } = await vault.get(token, `/v1/blobs/${id}`);
    if (status !== 200) throw new Error(`${id} was answered with ${status}`);
    const mime = headers["content-type"] ?? "";
    const sha256 = id.slice("blob_sha256_".length);
    blobs.push({ ref: { blob_id: id, mime_type: mime, size_bytes: bytes.length, sha256 }, bytes });
  }
  return blobs;
}

const createGrant = (
  spec: VaultSpec,
  name: string,
  streams: (stream: StreamSpec) => GrantRequest["sources"][number]["streams"],
): GrantRequest => ({
  client: { name },
  sources: spec.connectors.map(({ key, streams: all }) => ({ connector_key: key, streams: all.flatMap(streams) })),
});

const everything = (spec: VaultSpec): GrantRequest => createGrant(spec, "reads everything", ({ name }) => [{ name }]);

const someFields = (spec: VaultSpec, d: Dice): GrantRequest =>
  createGrant(spec, "reads some fields", ({ name, fields, consentTimeField }) => {
    const some = fields.filter(() => d.chance(50)).map((field) => field.name);
    return [
      {
        name,
        fields: some.length === 0 ? [fields[0]?.name ?? ""] : some,
        ...(consentTimeField !== undefined && d.chance(50) ? { time_range: { since: "2024-01-04T00:00:00Z" } } : {}),
      },
    ];
  });
