import { writeYear } from "#demo/demo-vault";
import { calendars } from "#demo/records/calendar";
import { inferMapping } from "#importers/formats/tables/infer";
import { memoryTree } from "../../tests/importers/support.ts";
import { zip } from "../../tests/importers/zip-writer.ts";
import { bearFiles } from "./bear.ts";
import { calendarFile } from "./calendar.ts";
import { chatgptFiles } from "./chatgpt.ts";
import { contactsFile } from "./contacts.ts";
import { gmailBox, plainBox } from "./mail.ts";
import { purchasesFile } from "./purchases.ts";
import { chatFiles } from "./whatsapp.ts";

/** The day after the household's year: all of it was exported then. */
export const exportedOn = new Date("2026-11-01T06:04:00Z");

/** The demo household as the archives that it would have come from, by their names; the same bytes at every run. */
export async function demoArchives(): Promise<Map<string, string | Uint8Array>> {
  const { mails, chats, events, orders, talks, notes } = writeYear();
  const mailbox = (box: "private" | "work") => mails.filter((mail) => mail.box === box);
  const takeout: Record<string, string> = {
    "Takeout/Mail/All mail Including Spam and Trash.mbox": gmailBox(mailbox("private")),
    "Takeout/Contacts/All Contacts/All Contacts.vcf": contactsFile(),
  };
  for (const [key, { name }] of Object.entries(calendars)) {
    const own = events.filter(({ calendar }) => calendar === key);
    takeout[`Takeout/Calendar/${name}.ics`] = calendarFile(name, own);
  }
  const bear = "Bear Notes 2026-11-01 at 07.04.bear2bk";
  const purchases = purchasesFile(orders);
  return new Map<string, string | Uint8Array>([
    ["takeout-20261101T060400Z-001.zip", zipped(takeout)],
    ["Work.mbox", plainBox(mailbox("work"))],
    ...chatFiles(chats).map(({ name, text }) => [name, zipped({ "_chat.txt": text })] as const),
    ["chatgpt-export.zip", zipped(chatgptFiles(talks))],
    [bear, zipped(bearFiles(notes, bear))],
    ["purchases.csv", purchases],
    // What `pdpp import purchases.csv --infer` proposes, as it is.
    ["purchases.csv.pdpp.json", await proposal(purchases)],
  ]);
}

const zipped = (files: Record<string, string | Uint8Array>): Uint8Array =>
  zip(Object.entries(files).map(([name, content]) => ({ name, content, modified: exportedOn })));

async function proposal(table: string): Promise<string> {
  const [entry] = memoryTree({ "purchases.csv": table }, 0).entries;
  const mapping = entry === undefined ? undefined : await inferMapping(entry);
  return `${JSON.stringify(mapping, null, 2)}\n`;
}
