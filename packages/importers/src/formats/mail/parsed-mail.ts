import type { Json } from "@pdpp/contract/declaration";
import { z } from "zod";

/** Answers of the process that parses mails. */

const json: z.ZodType<Json> = z.json();
const bytes = z.custom<Uint8Array<ArrayBuffer>>(
  (value) => value instanceof Uint8Array && value.buffer instanceof ArrayBuffer,
);

const mailFile = z.object({
  data: z.record(z.string(), json),
  mimeType: z.string(),
  /** Set if its text still has to be extracted, which takes more time and memory than a mail. */
  document: z.enum(["pdf", "docx"]).optional(),
  /** Empty if not needed. */
  bytes,
});
export type MailFile = Readonly<z.infer<typeof mailFile>>;

/** A parsed mail, before its documents are read and its files are stored. */
const mailParts = z.object({
  message: z.record(z.string(), json),
  files: z.array(mailFile),
  /** Empty if the mail has no HTML or it is not wanted. */
  html: bytes,
});
export type MailParts = Readonly<z.infer<typeof mailParts>>;

export const parsedMail = z.union([mailParts, z.object({ code: z.string(), reason: z.string() })]);
export type ParsedMail = Readonly<z.infer<typeof parsedMail>>;
export const parsedMails = z.array(parsedMail);
