import { z } from "zod";

/** Between an importer and the process that reads a database. */

export type DatabaseTask =
  | { readonly kind: "open"; readonly file: string }
  /** Starts a query and ends the one before. */
  | { readonly kind: "query"; readonly sql: string; readonly values: readonly bigint[] }
  | { readonly kind: "next" }
  | { readonly kind: "close" };

const value = z.union([z.string(), z.number(), z.bigint(), z.null(), z.instanceof(Uint8Array)]);
const row = z.record(z.string(), value);
/** Integers are always big integers: times exceed the safe ones. */
export type Row = Readonly<z.infer<typeof row>>;

export const databaseAnswer = z.object({
  /** Plain tables and their columns; empty unless the task was `open`. */
  tables: z.array(z.tuple([z.string(), z.array(z.string())])),
  rows: z.array(row),
  /** Whether the query has more rows. */
  hasMore: z.boolean(),
});
export type DatabaseAnswer = z.infer<typeof databaseAnswer>;
