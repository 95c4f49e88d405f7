import { type Person, people } from "#demo/people";
import { contentLines, escaped } from "./content-lines.ts";

/** Takeout's address book: the household's people, with what they write below their mails. */
export const contactsFile = (): string =>
  contentLines(
    Object.entries<Person>(people).flatMap(([key, { name, address, signature }]) =>
      key === "ada"
        ? []
        : [
            "BEGIN:VCARD",
            "VERSION:3.0",
            `FN:${escaped(name)}`,
            `N:${nameParts(name).map(escaped).join(";")};;;`,
            `EMAIL;TYPE=INTERNET:${address}`,
            ...(signature === undefined ? [] : [`NOTE:${escaped(signature)}`]),
            "CATEGORIES:myContacts",
            "END:VCARD",
          ],
    ),
  );

const nameParts = (name: string): string[] => {
  const last = name.lastIndexOf(" ");
  return [name.slice(last + 1), name.slice(0, Math.max(0, last))];
};
