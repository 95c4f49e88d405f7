import type { Answers, Claim, Importer, Item, Mark } from "../../core/importer.ts";
import { getLatestModification, mark, reject } from "../../core/items.ts";
import { readLines } from "../../core/parsing/lines.ts";
import { keepAsIs } from "../../core/retry.ts";
import { readContact } from "./contact.ts";
import { contactsManifest, contactsVersion } from "./manifest.ts";

/** Contacts from phones and address books, in all vCard versions. */
export const vcard: Importer = {
  key: "vcard",
  title: "Contacts",
  version: contactsVersion,
  testedWith: "real files",
  manifest: contactsManifest,
  mainStream: "contacts",
  toStandaloneFile: keepAsIs,
  completeStreams: ["contacts"],
  mergeRules: { contacts: { fill: ["photo"] } },
  sniff: (_path, { text }) => /^\s*BEGIN:VCARD\s/i.test(text),
  createClaims: async (found) => [
    {
      format: "vcard",
      label: "Contacts",
      entries: found,
      companions: [],
      exportedAt: getLatestModification(found),
      questions: [],
    },
  ],
  read,
};

/** More than a contact with a photo needs. */
const maxBytes = 32 * 1024 * 1024;

async function* read(claim: Claim, answers: Answers, from?: Mark): AsyncGenerator<Item> {
  for (const [index, entry] of claim.entries.entries()) {
    if (from !== undefined && index < from.entry) continue;
    const start = from !== undefined && index === from.entry ? from.offset : 0;
    let block: Uint8Array[] = [];
    let size = 0;
    let depth = 0;
    let offset = start;
    for await (const line of readLines(entry.bytes(start), start)) {
      const said = Buffer.from(line.bytes.subarray(0, 40))
        .toString("latin1")
        .replace(/^\u00ef\u00bb\u00bf/, "")
        .trim()
        .toUpperCase();
      if (said === "BEGIN:VCARD" && depth === 0) {
        block = [];
        size = 0;
        offset = line.offset;
      }
      if (said === "BEGIN:VCARD") depth += 1;
      if (depth === 0) {
        if (said !== "")
          yield reject(entry.path, line.offset, "no_contact", "it stands outside of a contact", line.bytes);
        continue;
      }
      size += line.bytes.length + 1;
      // Copy the line: its bytes would keep a larger buffer in memory.
      if (size <= maxBytes) block.push(Buffer.from(line.bytes), newline);
      if (said !== "END:VCARD") continue;
      depth -= 1;
      if (depth > 0) continue;
      const bytes = Buffer.concat(block);
      if (size > maxBytes) yield reject(entry.path, offset, "too_long", "the contact is longer than 32 MiB", bytes);
      else
        yield readContact(bytes, answers.attachments) ??
          reject(entry.path, offset, "no_name", "the contact has neither a name nor an address", bytes);
      yield mark(index, line.offset + line.bytes.length);
    }
    if (depth > 0)
      yield reject(entry.path, offset, "truncated", "the file ends in the middle of it", Buffer.concat(block));
    yield mark(index + 1, 0);
  }
}

const newline = Buffer.from("\n");
