import { PdppError } from "@pdpp/contract/errors";
import { z } from "zod";

/**
 * A backup is lines of JSON, compressed (zstd) and, if a passphrase is given, encrypted (age). It is the same for both engines:
 *
 *     {"pdpp_backup": 1, "schema_version": 4, ...}       once, first
 *     {"table": "token", "columns": [...], ...}          then one array for each row
 *     {"blob": "blob_sha256_...", "owner_no": 1, ...}    then its bytes, one base64 string for each piece
 *     {"end": ..., "lines": 12, "sha256": "..."}         behind each table and each blob, and once more at the very end
 *
 * The digest is of everything before that line, so a change is found at the next end.
 */

export const formatVersion = 1;
/** Of blobs. A multiple of three, so that base64 has no padding between pieces. */
export const pieceBytes = 192 * 1024;
/** The most of a table to hold in memory, but at least one row. */
export const batchBytes = 4 * 1024 * 1024;

const name = z.string().regex(/^[a-z_][a-z0-9_]*$/);

const headerLine = z.object({
  pdpp_backup: z.number(),
  schema_version: z.int().min(1),
  made_at: z.string(),
  made_by: z.string(),
  engine: z.string(),
});
export type Header = z.infer<typeof headerLine>;

const tableLine = z.object({
  table: name,
  columns: z
    .array(z.object({ name, type: z.enum(["text", "number", "integer", "bytes"]), required: z.boolean() }))
    .min(1),
  key: z.array(name),
  serial: z.object({ column: name, next: z.int() }).optional(),
});
export type TableLine = z.infer<typeof tableLine>;

const blobLine = z.object({
  blob: z.string(),
  owner_no: z.int(),
  size_bytes: z.int(),
  missing: z.literal(true).optional(),
});
export type BlobLine = z.infer<typeof blobLine>;

export const backupEndName = "backup";
const endLine = z.object({ end: z.string(), lines: z.int(), sha256: z.string() });
type EndLine = z.infer<typeof endLine>;

export type MarkerLine = TableLine | BlobLine | EndLine;

const markerLine = z.union([tableLine, blobLine, endLine]);

export const parseHeader = (line: unknown): Header | undefined => headerLine.safeParse(line).data;
export const parseMarker = (line: unknown): MarkerLine | undefined => markerLine.safeParse(line).data;

export const damagedBackupError = (how: string): PdppError =>
  new PdppError("invalid_request", `the backup ${how}; nothing was restored from it`, {
    next_step: "use another backup, or copy this one again from its original location",
  });
