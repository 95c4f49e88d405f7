import { decodeWords } from "postal-mime";
import { cleanText } from "../../core/text/clean.ts";
import type { Headers } from "./headers.ts";

/** What mail programs note about a mail: `answered`, `deleted`, `draft`, `flagged`, `forwarded` and `seen`, as IMAP calls them. */

const maildirLetters: Readonly<Record<string, string>> = {
  D: "draft",
  F: "flagged",
  P: "forwarded",
  R: "answered",
  S: "seen",
  T: "deleted",
};

/** The flags in the name of a file in a Maildir, `cur/1700000000.M1P2.host:2,FS`. Undefined for other files. */
export function parseMaildirFlags(path: string): string[] | undefined {
  // Systems that do not allow a colon in names use other characters.
  const [, letters] = /(?:^|\/)cur\/[^/]*[:;!-]2,([A-Za-z]*)$/.exec(path) ?? [];
  if (letters !== undefined) return sortFlags([...letters].map((letter) => maildirLetters[letter]));
  return /(?:^|\/)new\/\d+[._][^/]*$/.test(path) ? [] : undefined;
}

const statusLetters: Readonly<Record<string, string>> = { R: "seen", D: "deleted" };
const extendedStatusLetters: Readonly<Record<string, string>> = {
  A: "answered",
  D: "deleted",
  F: "flagged",
  T: "draft",
};
const mozillaBits: readonly (readonly [number, string])[] = [
  [0x0001, "seen"],
  [0x0002, "answered"],
  [0x0004, "flagged"],
  [0x0008, "deleted"],
  [0x1000, "forwarded"],
];
const gmailLabels: Readonly<Record<string, string>> = { Drafts: "draft", Opened: "seen", Starred: "flagged" };

/** The flags that a mailbox file has in headers of its own. Undefined if it has none, as opposed to a mail without flags. */
export function parseHeaderFlags(headers: Headers, labels: readonly string[]): string[] | undefined {
  const found: (string | undefined)[] = [];
  let isKnown = false;
  const addLetters = (name: string, meanings: Readonly<Record<string, string>>): void => {
    for (const value of headers.get(name) ?? []) {
      if (!/^[A-Za-z]*$/.test(value)) continue;
      isKnown = true;
      found.push(...[...value].map((letter) => meanings[letter]));
    }
  };
  addLetters("status", statusLetters);
  addLetters("x-status", extendedStatusLetters);
  for (const value of headers.get("x-mozilla-status") ?? []) {
    if (!/^[0-9a-f]{1,8}$/i.test(value)) continue;
    isKnown = true;
    const bits = Number.parseInt(value, 16);
    found.push(...mozillaBits.map(([bit, name]) => ((bits & bit) === 0 ? undefined : name)));
  }
  // Gmail writes them in the account's language; only one of these two says that this is English.
  if (headers.has("x-gmail-labels") && (labels.includes("Opened") || labels.includes("Unread"))) {
    isKnown = true;
    found.push(...labels.map((label) => gmailLabels[label]));
  }
  return isKnown ? sortFlags(found) : undefined;
}

export const sortFlags = (flags: readonly (string | undefined)[]): string[] =>
  [...new Set(flags.filter((flag) => flag !== undefined))].sort();

/** Sorted, because their order is meaningless. */
export function parseLabels(headers: Headers): string[] {
  const content = [...(headers.get("x-gmail-labels") ?? []), ...(headers.get("x-keywords") ?? [])];
  const labels = content
    .flatMap((value) => decodeWords(value).split(","))
    .map((label) => cleanText(label).trim().replace(/^"|"$/g, ""));
  return [...new Set(labels.filter((label) => label !== ""))].sort();
}
