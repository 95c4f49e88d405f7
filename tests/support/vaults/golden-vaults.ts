import { cpSync, existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { gunzipSync } from "node:zlib";
import pg from "pg";
import type { GrantRequest, VaultSpec } from "../../model/spec.ts";
import type { EngineName, VaultPlace } from "./new-vault.ts";

/** Vaults written by earlier versions of pdpp, which every later version must be able to read. `npm run golden` adds one. */

export const goldenFolder = fileURLToPath(new URL("../../golden-vaults/", import.meta.url));

const getSchema = (name: string): number => Number(name.replace("schema-", ""));

/** The oldest first. */
export const goldenNames: readonly string[] = readdirSync(goldenFolder)
  .filter((name) => name.startsWith("schema-"))
  .sort((a, b) => getSchema(a) - getSchema(b));

/** A golden vault's contents, and what its clients read when it was created. */
export interface GoldenContents {
  readonly spec: VaultSpec;
  readonly grants: readonly GrantRequest[];
  readonly clients: readonly GoldenClient[];
}

interface GoldenClient {
  readonly token: string;
  readonly isRevoked: boolean;
  readonly export: Readonly<Record<EngineName, string>>;
}

const readGzip = (...path: string[]): Buffer => gunzipSync(readFileSync(join(goldenFolder, ...path)));

export function readGoldenContents(name: string): GoldenContents {
  const held: GoldenContents = JSON.parse(readGzip(name, "contents.json.gz").toString());
  const blobs = held.spec.blobs.map((blob) => ({ ...blob, bytes: Buffer.from(String(blob.bytes), "base64") }));
  return { ...held, spec: { ...held.spec, blobs } };
}

export const formatContents = ({ spec, ...rest }: GoldenContents): string =>
  JSON.stringify({
    ...rest,
    spec: {
      ...spec,
      blobs: spec.blobs.map(({ ref, bytes }) => ({ ref, bytes: Buffer.from(bytes).toString("base64") })),
    },
  });

/** The records of an export, without anything later versions may add. */
export const parseGoldenExport = (text: string): unknown[] =>
  text
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => {
      const { id, stream, connection_id, record_version, emitted_at, data } = JSON.parse(line);
      return { id, stream, connection_id, record_version, emitted_at, data };
    });

/** Copies a golden vault to where a test will open it. */
export async function copyGolden(name: string, { dataDir, databaseUrl }: VaultPlace): Promise<void> {
  if (databaseUrl === undefined) {
    writeFileSync(join(dataDir, "vault.db"), readGzip(name, "vault.db.gz"));
    const blobs = join(goldenFolder, name, "blobs");
    if (existsSync(blobs)) cpSync(blobs, join(dataDir, "blobs"), { recursive: true });
    return;
  }
  const client = new pg.Client(databaseUrl);
  await client.connect();
  await client.query(readGzip(name, "postgres.sql.gz").toString()).finally(() => client.end());
}
