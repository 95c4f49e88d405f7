import type { Json } from "@pdpp/contract/declaration";
import { z } from "zod";

/** The state of a collection at the last successful run. */
const collectionCursor = z.object({
  token: z.string().optional(),
  ctag: z.string().optional(),
  reading: z.string(),
});
export type CollectionCursor = z.infer<typeof collectionCursor>;

const cursor = z.object({
  /** The file with the objects; none if the host keeps no files. */
  generation: z.string().optional(),
  /** How far rules without an end are expanded. */
  horizon: z.number(),
  /** Objects that could not be read, or are left for the next run. */
  hasStale: z.boolean(),
  collections: z.record(z.string(), collectionCursor),
});
export type DavCursor = z.infer<typeof cursor>;

export const formatCursor = (value: DavCursor): Json => z.json().parse(value);

/** Undefined for the first run, and for cursors of another version. */
export const parseCursor = (value: unknown): DavCursor | undefined => cursor.safeParse(value).data;
