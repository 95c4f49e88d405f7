import type { JsonObject } from "@pdpp/contract/declaration";
import { defineColumns, type WriteTransaction } from "../engine/engine.ts";
import { toIndexText } from "../engine/index-text.ts";
import { raw, type SqlValue, sql } from "../engine/sql.ts";
import { listBlobIds } from "./blob-fields.ts";

/** Which records refer to which blobs, so that access to a blob can be checked without reading records. */

export interface BlobUser {
  readonly ownerNo: number;
  readonly connectionNo: number;
  readonly key: string;
  readonly data: JsonObject;
}

const columns = defineColumns(
  "owner_no integer, blob_id text, stream_no integer, connection_no integer, key text, field text",
);

export async function insertBlobUses(
  on: WriteTransaction,
  streamNo: number,
  fields: readonly string[],
  users: readonly BlobUser[],
): Promise<void> {
  const uses = users.flatMap(({ ownerNo, connectionNo, key, data }) =>
    fields.flatMap((field) =>
      listBlobIds(data[field]).map((id): SqlValue[] => [ownerNo, toIndexText(id), streamNo, connectionNo, key, field]),
    ),
  );
  await on.insert("blob_use", columns, uses);
}

type Place = Pick<BlobUser, "ownerNo" | "connectionNo">;

export async function deleteBlobUses(
  on: WriteTransaction,
  streamNo: number,
  { ownerNo, connectionNo }: Place,
  keys: readonly string[],
): Promise<void> {
  if (keys.length === 0) return;
  await on.run(sql`DELETE FROM blob_use WHERE owner_no = ${ownerNo} AND stream_no = ${streamNo}
    AND connection_no = ${connectionNo} AND ${on.dialect.among(raw("key"), keys)}`);
}
