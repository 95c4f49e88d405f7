import type { Json } from "@pdpp/contract/declaration";
import { z } from "zod";

const folderCursor = z.object({
  /** UIDVALIDITY: UIDs of another one mean other mails. */
  validity: z.string(),
  /** All UIDs below were collected. */
  next: z.number(),
  /** The number of mails that were collected and not reported as gone. */
  count: z.number(),
  /** The number of the last change of which all was collected. */
  modseq: z.string().optional(),
  /** The file with what is known of its mails, and its size at that time. */
  generation: z.string(),
  facts: z.number(),
  /** Parts are missing, so that the folder must be compared with the server in full. */
  partial: z.literal(true).optional(),
});
export type FolderCursor = Readonly<z.infer<typeof folderCursor>>;

const cursor = z.object({ version: z.literal(2), folders: z.record(z.string(), folderCursor) });

export type FolderCursors = ReadonlyMap<string, FolderCursor>;

/** A cursor of another version is ignored: everything is collected again. */
export function parseCursor(value: Json | undefined): FolderCursors {
  const parsed = cursor.safeParse(value);
  return new Map(parsed.success ? Object.entries(parsed.data.folders) : []);
}

export const formatCursor = (folders: FolderCursors): Json =>
  z.json().parse({ version: 2, folders: Object.fromEntries(folders) });
