import { z } from "zod";
import { parsedMail } from "../mail/parsed-mail.ts";

/** Requests to the process that reads PST files, and its answers. */

export type PstTask =
  | { readonly kind: "open"; readonly file: string }
  | {
      readonly kind: "read";
      readonly file: string;
      /** Index into the list of folders. */
      readonly folder: number;
      readonly from: number;
      readonly count: number;
      readonly keepsBytes: boolean;
    };

const folder = z.object({ path: z.string(), items: z.int().nonnegative() });
export type PstFolder = Readonly<z.infer<typeof folder>>;

const item = z.union([
  z.object({ kind: z.literal("mail"), mail: parsedMail }),
  /** Contacts, appointments and the like. */
  z.object({ kind: z.literal("other"), reason: z.string() }),
  z.object({ kind: z.literal("failed"), reason: z.string() }),
]);
export type PstItem = Readonly<z.infer<typeof item>>;

export const pstAnswer = z.union([
  z.object({
    kind: z.literal("opened"),
    folders: z.array(folder),
    /** Folders whose subfolders could not be listed. */
    problems: z.array(z.string()),
  }),
  z.object({
    kind: z.literal("read"),
    items: z.array(item),
    next: z.int(),
    /** The folder has no more items, even if its count is higher. */
    isEnd: z.boolean(),
  }),
]);
export type PstAnswer = Readonly<z.infer<typeof pstAnswer>>;
