import type { VaultPlace } from "@pdpp/test-support/vaults/new-vault";
import type { WriteTransaction } from "#server/store/engine/engine";
import { raw } from "#server/store/engine/sql";
import { openEngine } from "#server/store/store";

/** Copies the plain records of a vault of an earlier schema, which is not upgraded. Returns how many records it has now. */
export async function enlargeVault(place: VaultPlace, copies: number): Promise<number> {
  const engine = openEngine(place);
  try {
    return await engine.write(async (on) => {
      const streams = await on.all<{ stream_no: number }>(raw("SELECT stream_no FROM stream ORDER BY stream_no"));
      let total = 0;
      for (const { stream_no: streamNo } of streams) total += await copyRecords(on, streamNo, copies);
      return total;
    });
  } finally {
    await engine.close();
  }
}

/** Long texts and files have rows in other tables, so their records stay single. */
const isPlain = `long_key IS NULL AND data NOT LIKE '%blob_sha256%' AND version NOT IN (SELECT version FROM long_record)`;

async function copyRecords(on: WriteTransaction, streamNo: number, copies: number): Promise<number> {
  const table = `r_${streamNo}`;
  const [row] = await on.all<Record<string, unknown>>(raw(`SELECT * FROM ${table} LIMIT 1`));
  const fields = Object.keys(row ?? {}).filter((name) => name !== "key" && name !== "version");
  await on.run(
    raw(`WITH RECURSIVE copy(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM copy WHERE n < ${copies})
      INSERT INTO ${table} (key, version, ${fields.join(", ")})
      SELECT key || '~' || n, (SELECT next_version FROM owner WHERE owner_no = 1) - 1 + row_number() OVER (ORDER BY n, key),
        ${fields.join(", ")} FROM ${table} CROSS JOIN copy WHERE ${isPlain}`),
  );
  await on.run(
    raw(`UPDATE owner SET next_version = 1 + (SELECT max(version) FROM ${table})
    WHERE next_version <= (SELECT max(version) FROM ${table})`),
  );
  const counted = `(SELECT count(*) FROM ${table} AS r WHERE r.connection_no = stream_stats.connection_no)`;
  await on.run(raw(`UPDATE stream_stats SET record_count = ${counted} WHERE stream_no = ${streamNo}`));
  const [sum] = await on.all<{ n: number }>(raw(`SELECT count(*) AS n FROM ${table}`));
  return Number(sum?.n);
}
