import { createHash } from "node:crypto";
import { PdppError } from "@pdpp/contract/errors";
import { readLines } from "../ingest/lines.ts";
import { parseJson } from "../store/engine/json.ts";
import { schemaVersion } from "../store/engine/migrations.ts";
import type { SqlValue } from "../store/engine/sql.ts";
import {
  type BlobLine,
  backupEndName,
  batchBytes,
  damagedBackupError,
  formatVersion,
  type Header,
  parseHeader,
  parseMarker,
  type TableLine,
} from "./format.ts";
import type { BackupCounts } from "./write-backup.ts";

/** Reads and checks the lines of a backup. Its parts can be trusted only after `whole`. */

export type BackupPart =
  | { readonly part: "header"; readonly header: Header }
  | { readonly part: "table"; readonly table: TableLine }
  | { readonly part: "rows"; readonly table: TableLine; readonly rows: readonly (readonly SqlValue[])[] }
  | { readonly part: "blob"; readonly blob: BlobLine }
  | { readonly part: "bytes"; readonly bytes: Buffer }
  | { readonly part: "blob end"; readonly blob: BlobLine }
  | { readonly part: "whole" };

/** A record of 64 MiB can double in size when encoded as JSON. */
const maxLineBytes = 400 * 1024 * 1024;

export async function* readBackupParts(
  bytes: AsyncIterable<Uint8Array>,
  counts: BackupCounts,
): AsyncGenerator<BackupPart> {
  const digest = createHash("sha256");
  let lines = 0;
  let table: TableLine | undefined;
  let blob: { readonly line: BlobLine; readonly digest: ReturnType<typeof createHash> } | undefined;
  let rows: SqlValue[][] = [];
  let held = 0;
  let isWhole = false;
  for await (const batch of readLines(bytes, maxLineBytes)) {
    for (const line of batch) {
      if ("fault" in line) throw damagedBackupError(`has been changed (line ${line.number} is not text)`);
      const changed = damagedBackupError(`has been changed, at line ${line.number} or before it`);
      if (isWhole) throw changed;
      const value = parseLine(line.text);
      if (lines === 0) yield { part: "header", header: checkHeader(value) };
      else if (Array.isArray(value)) {
        if (table !== undefined) {
          const row = decodeRow(table, value);
          if (row === undefined) throw changed;
          rows.push(row);
          held += line.text.length;
          counts.rows += 1;
        } else if (blob !== undefined && typeof value[0] === "string") {
          const piece = Buffer.from(value[0], "base64");
          blob.digest.update(piece);
          counts.bytes += piece.length;
          yield { part: "bytes", bytes: piece };
        } else throw changed;
      }
      const mark = lines === 0 || Array.isArray(value) ? undefined : parseMarker(value);
      if (lines > 0 && !Array.isArray(value) && mark === undefined) throw changed;
      if (table !== undefined && rows.length > 0 && (held > batchBytes || mark !== undefined)) {
        yield { part: "rows", table, rows };
        rows = [];
        held = 0;
      }
      if (mark !== undefined && "end" in mark) {
        if (mark.lines !== lines || mark.sha256 !== digest.copy().digest("hex")) throw changed;
        if (mark.end === backupEndName && table === undefined && blob === undefined) {
          isWhole = true;
          yield { part: "whole" };
        } else if (table?.table === mark.end) {
          counts.tables += 1;
          table = undefined;
        } else if (blob?.line.blob === mark.end) {
          if (blob.line.missing) counts.blobsMissing += 1;
          else if (blob.digest.digest("hex") !== mark.end.slice(-64))
            throw damagedBackupError(`does not contain the bytes of ${mark.end}`);
          else counts.blobs += 1;
          yield { part: "blob end", blob: blob.line };
          blob = undefined;
        } else throw changed;
      } else if (mark !== undefined) {
        if (table !== undefined || blob !== undefined) throw changed;
        if ("table" in mark) {
          table = mark;
          yield { part: "table", table };
        } else {
          blob = { line: mark, digest: createHash("sha256") };
          yield { part: "blob", blob: mark };
        }
      }
      digest.update(`${line.text}\n`);
      lines += 1;
    }
  }
  if (!isWhole) throw damagedBackupError("is truncated");
}

function parseLine(text: string): unknown {
  try {
    return parseJson(text);
  } catch {
    return undefined;
  }
}

function checkHeader(value: unknown): Header {
  const header = parseHeader(value);
  if (header === undefined) throw damagedBackupError("does not start like a pdpp backup");
  if (header.pdpp_backup > formatVersion || header.schema_version > schemaVersion) {
    throw new PdppError(
      "unavailable",
      `the backup was made by a newer pdpp (schema ${header.schema_version}, this one supports ${schemaVersion}); upgrade pdpp`,
    );
  }
  return header;
}

function decodeRow({ columns }: TableLine, values: readonly unknown[]): SqlValue[] | undefined {
  if (values.length !== columns.length) return undefined;
  const row: SqlValue[] = [];
  for (const [i, { type }] of columns.entries()) {
    const value = values[i];
    if (value === null) row.push(null);
    else if (type === "bytes" && typeof value === "string") row.push(Buffer.from(value, "base64"));
    else if (type === "text" && typeof value === "string") row.push(value);
    else if ((type === "number" || type === "integer") && typeof value === "number") row.push(value);
    else return undefined;
  }
  return row;
}
