import { cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { dumpPostgres } from "@pdpp/test-support/postgres/dump-postgres";
import { startPostgres } from "@pdpp/test-support/postgres/embedded-postgres";
import { formatContents, type GoldenContents, goldenFolder } from "@pdpp/test-support/vaults/golden-vaults";
import { engineNames } from "@pdpp/test-support/vaults/new-vault";
import fc from "fast-check";
import { schemaVersion } from "#server/store/engine/migrations";
import { loadVault, readText } from "../../tests/model/loaded-vault.ts";
import { findStreamSpec, type VaultSpec } from "../../tests/model/spec.ts";
import { buildHostileVault, drawHostileBlueprint } from "../../tests/walker/vaults/hostile-vault.ts";

/** Saves a vault of the current schema on both engines, which later versions must be able to read. */

const seed = 5;
const mostWrites = 40;

const folder = join(goldenFolder, `schema-${schemaVersion}`);
if (existsSync(folder)) {
  console.log(`error: ${folder} already exists. Golden vaults never change once created.`);
  process.exit(2);
}

const server = await startPostgres("-c", "fsync=off");
process.env.PDPP_TEST_POSTGRES = server.url;
const [blueprint] = fc.sample(drawHostileBlueprint(mostWrites), { seed, numRuns: 1 });
if (blueprint === undefined) throw new Error("fast-check generated no vault");
const drawn = buildHostileVault(blueprint);
const { grants } = drawn;
const spec = withLongText(drawn.spec);

/** Adds another version of a record, with a text long enough to be stored in chunks. */
function withLongText(vault: VaultSpec): VaultSpec {
  const writes = vault.writes[0] ?? [];
  for (const write of writes.toReversed()) {
    const stream = findStreamSpec(vault, write.connectorKey, write.stream);
    const field = stream.fields.find(
      ({ name, kind, lexical, encoding, refersTo }) =>
        kind === "text" && lexical && !encoding && !refersTo && !stream.primaryKey.includes(name),
    );
    const isLast = writes.findLast((other) => other.key === write.key && other.connectionId === write.connectionId);
    if (write.op === "delete" || stream.semantics === "append_only" || !field || isLast !== write) continue;
    const text = `${write.data[field.name] ?? ""}\n${"A long letter about the roof and its gutters. ".repeat(4000)}`;
    return { ...vault, writes: [[...writes, { ...write, data: { ...write.data, [field.name]: text } }]] };
  }
  throw new Error("no record has a text that can be extended; use another seed");
}

const zipBytes = (bytes: string | Uint8Array) => gzipSync(bytes, { level: 9 });

const vaults = [];
for (const engine of engineNames) vaults.push({ engine, vault: await loadVault(engine, spec) });
const [first, ...others] = vaults;
if (first === undefined) throw new Error("no engine");

const clients: GoldenContents["clients"][number][] = [];
for (const [i, request] of [...grants, ...grants.slice(0, 1)].entries()) {
  const isRevoked = i === grants.length;
  const issued = await first.vault.issue(request);
  for (const { vault } of others) await vault.adopt(first.vault, issued);
  const texts: [string, string][] = [];
  for (const { engine, vault } of vaults) {
    texts.push([engine, readText(await vault.get(issued.token, "/v1/export"))]);
    if (isRevoked) for (const { grant_id } of issued.grants) await vault.revoke(issued.package_id ?? grant_id);
  }
  clients.push({
    token: issued.token,
    isRevoked,
    export: Object.fromEntries(texts) as Record<"sqlite" | "postgres", string>,
  });
}

mkdirSync(folder, { recursive: true });
writeFileSync(join(folder, "contents.json.gz"), zipBytes(formatContents({ spec, grants, clients })));
for (const { vault } of vaults) {
  const { dataDir, databaseUrl } = vault.place;
  await vault.close();
  if (databaseUrl !== undefined) {
    writeFileSync(join(folder, "postgres.sql.gz"), zipBytes(await dumpPostgres(databaseUrl)));
    continue;
  }
  writeFileSync(join(folder, "vault.db.gz"), zipBytes(readFileSync(join(dataDir, "vault.db"))));
  if (existsSync(join(dataDir, "blobs"))) cpSync(join(dataDir, "blobs"), join(folder, "blobs"), { recursive: true });
}
await server.stop();
console.log(`made ${folder}`);
process.exit(0);
