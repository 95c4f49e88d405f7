import type { Input } from "@pdpp/contract/operations";
import { formatHandle } from "@pdpp/evidence/handles/handle";
import type { Disclosure, ReadContext } from "../context.ts";
import { exportPages } from "./export-records.ts";

/** Some lines of an export, small enough that readers who do not read hold little memory. */
export interface ExportPiece {
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly disclosure: Disclosure;
  /** The `after` of the next piece; none after the last. */
  readonly next?: string;
}

const wantedChars = 256 * 1024;
/** Pages are read whole. A page with large records is sent in several pieces, and each piece reads the rest of the page again. */
const maxChars = 4 * 1024 * 1024;

export async function readExportPiece(
  context: Omit<ReadContext, "disclose">,
  input: Input<"export">,
): Promise<ExportPiece> {
  const connectionIds = new Set<string>();
  const versions: number[] = [];
  const disclose = (disclosure: Disclosure): void => {
    for (const id of disclosure.connectionIds) connectionIds.add(id);
    versions.push(...disclosure.versions);
  };
  let lines = "";
  let next: string | undefined;
  for await (const { record, endsPage } of exportPages({ ...context, disclose }, input)) {
    context.throwIfStopped();
    lines += `${JSON.stringify(record)}\n`;
    if (lines.length < (endsPage ? wantedChars : maxChars)) continue;
    next = formatHandle({ connectionId: record.connection_id, stream: record.stream, recordId: record.id });
    break;
  }
  return {
    bytes: new TextEncoder().encode(lines),
    disclosure: {
      connectionIds: [...connectionIds],
      stream: input.stream ?? null,
      records: versions.length,
      versions,
    },
    ...(next === undefined ? {} : { next }),
  };
}
