import type { ImportDocument, ImportedRecord, StoredRejectedItem } from "@pdpp/contract/imports";
import type { OwnerApi } from "@pdpp/contract/owner";
import { formats } from "@pdpp/importers/formats";
import type { Importer } from "@pdpp/importers/importer";
import { type RetryResult, retryRejected } from "@pdpp/importers/retry";
import { parseJsonObject } from "@pdpp/server/store/engine/json";
import { ImportOptionsError } from "../import-options-error.ts";
import { getDeclaration } from "../plan/plan-part.ts";
import { parseAnswers } from "./answers-json.ts";
import { storeBlob } from "./store-part.ts";
import { countRejected } from "./tally.ts";

export interface RetryReport {
  readonly mended: number;
  /** Items that are still unreadable. */
  readonly again: number;
  /** Items that need their original file. */
  readonly files: readonly FileToRead[];
}

interface FileToRead {
  readonly connection_id: string;
  /** Path in the import; null if unknown. */
  readonly path: string | null;
  readonly items: number;
  readonly reason: string;
}

export async function retryImport(
  owner: OwnerApi,
  document: ImportDocument,
  importers: readonly Importer[] = formats,
): Promise<RetryReport> {
  if (document.finished_at === null)
    throw new ImportOptionsError("this import is not finished; import the same files again first");
  const known = new Map(importers.map((importer) => [importer.key, importer]));
  await registerConnectors(owner, document, known);
  const files = new Map<string, FileToRead>();
  const leave = ({ connection_id, kind, path: file }: StoredRejectedItem, reason: string): void => {
    const path = kind === "record" ? null : file;
    const key = JSON.stringify([connection_id, path, reason]);
    files.set(key, { connection_id, path, items: (files.get(key)?.items ?? 0) + 1, reason });
  };
  let [mended, again, seen] = [0, 0, 0];
  let after: StoredRejectedItem | undefined;
  for (;;) {
    const page = await owner.imports.listRejectedForRetry(document.import_id, after);
    for (const item of page) {
      const importer = known.get(item.format);
      const result = importer === undefined ? noImporter : await readAgain(importer, item);
      if (result.kind === "needs_file" || importer === undefined) leave(item, getReason(result));
      else if (result.kind === "read" && (await storeRetried(owner, importer, item, result))) mended += 1;
      else again += 1;
    }
    seen += page.length;
    after = page.at(-1);
    if (after === undefined) break;
  }
  return { mended, again, files: [...files.values(), ...listDiscarded(document, seen)] };
}

const noImporter: RetryResult = { kind: "needs_file", reason: "no importer for this format" };
const getReason = (result: RetryResult): string => ("reason" in result ? result.reason : "");

/** Registers the declarations of newer importers, which their records need. */
async function registerConnectors(
  owner: OwnerApi,
  { parts }: ImportDocument,
  known: ReadonlyMap<string, Importer>,
): Promise<void> {
  for (const format of new Set(parts.flatMap(({ format, tally }) => (countRejected(tally) > 0 ? [format] : [])))) {
    const importer = known.get(format);
    if (importer !== undefined) await owner.connectors.register(getDeclaration(importer));
  }
  await owner.connectors.reindex();
}

/** Only the first rejected items of an import are kept; the rest were counted. */
function listDiscarded({ parts }: ImportDocument, seen: number): FileToRead[] {
  const lost = parts.reduce((sum, { tally }) => sum + countRejected(tally), 0) - seen;
  const [first] = parts.filter(({ tally }) => countRejected(tally) > 0);
  return lost <= 0 || first === undefined
    ? []
    : [{ connection_id: first.connection_id, path: null, items: lost, reason: "too many to keep" }];
}

function readAgain(importer: Importer, item: StoredRejectedItem): Promise<RetryResult> | RetryResult {
  if (item.kind === "record") return parseRejectedRecord(item);
  return retryRejected(importer, { ...item, exportedAt: Date.parse(item.exported_at) }, parseAnswers(item.answers));
}

/** A record that the vault rejected is kept as JSON. */
function parseRejectedRecord({ stream, raw }: StoredRejectedItem): RetryResult {
  try {
    const data = parseJsonObject(new TextDecoder().decode(raw));
    return data.blob_ref
      ? { kind: "needs_file", reason: "its attachment was not kept" }
      : { kind: "read", records: [{ kind: "record", stream, data }], skipped: 0 };
  } catch {
    return { kind: "needs_file", reason: "only its beginning was kept" };
  }
}

async function storeRetried(
  owner: OwnerApi,
  importer: Importer,
  item: StoredRejectedItem,
  read: Extract<RetryResult, { kind: "read" }>,
): Promise<boolean> {
  const only = Array.isArray(item.answers.only) ? item.answers.only : [];
  const records: ImportedRecord[] = [];
  const skipped: Record<string, number> = read.skipped === 0 ? {} : { [importer.mainStream]: read.skipped };
  let blobs = 0;
  for (const record of read.records) {
    if (only.length > 0 && !only.includes(record.stream)) {
      skipped[record.stream] = (skipped[record.stream] ?? 0) + 1;
      continue;
    }
    if (record.blob !== undefined) blobs += 1;
    records.push((await storeBlob(owner, record, item.connection_id)).record);
  }
  const outcome = await owner.imports.retryRejected({
    part_id: item.part_id,
    number: item.number,
    importer_version: importer.version,
    records,
    merge: importer.mergeRules ?? {},
    skipped,
    blobs,
  });
  return outcome.is_mended;
}
