import { hash } from "node:crypto";
import type { FetchedMail } from "./fetch-mails.ts";
import { listKeywords } from "./flags.ts";
import type { Mail } from "./mails.ts";

/** The folders that a mail is in and its keywords, or the labels that the server keeps with it. */
export function listLabels(mail: Mail, fetched: FetchedMail): readonly string[] {
  if (fetched.labels !== undefined) return nameLabels(fetched.labels);
  const folders = mail.listPlaces().map(({ folder }) => folder.path);
  return [...new Set([...folders, ...listKeywords(mail.listMarks())])].sort();
}

/** As in exports of the same account, which write `Inbox` for `\Inbox`. */
const nameLabels = (labels: ReadonlySet<string>): string[] =>
  [...new Set([...labels].map((label) => label.replace(/^\\/, "")))].sort();

export function digestLabels(labels: ReadonlySet<string> | undefined): number {
  if (labels === undefined) return 0;
  return Number.parseInt(hash("sha256", JSON.stringify(nameLabels(labels)), "hex").slice(0, 12), 16);
}
