import { z } from "zod";
import type { Json } from "../manifest/declaration.ts";

/** A client's request, as the access log describes it to the owner. */
export const loggedRequest = z.object({
  operation: z.string(),
  /** Parameters by their REST names, without cursors, bookmarks and the ids of records that the entry lists. */
  arguments: z.record(
    z.string(),
    z.custom<Json>((value) => value !== undefined),
  ),
  /** Asks for the next page, window or part of an export. */
  continued: z.literal(true).optional(),
  /** Long values were cut, or values were left out. */
  shortened: z.literal(true).optional(),
});
export type LoggedRequest = z.infer<typeof loggedRequest>;
