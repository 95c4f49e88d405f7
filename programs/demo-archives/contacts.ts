import { escapeText, writeContentLines } from "./content-lines.ts";
import { contacts } from "./household.ts";

/** Takeout's address book: everyone but the owner, with their mail signatures as notes. */
export function writeContacts(): string {
  return writeContentLines(
    contacts.flatMap(({ name, address, signature }) => [
      "BEGIN:VCARD",
      "VERSION:3.0",
      `FN:${escapeText(name)}`,
      `N:${splitName(name).map(escapeText).join(";")};;;`,
      `EMAIL;TYPE=INTERNET:${address}`,
      ...(signature === undefined ? [] : [`NOTE:${escapeText(signature)}`]),
      "CATEGORIES:myContacts",
      "END:VCARD",
    ]),
  );
}

const splitName = (name: string): string[] => {
  const last = name.lastIndexOf(" ");
  return [name.slice(last + 1), name.slice(0, Math.max(0, last))];
};
