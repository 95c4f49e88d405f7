import { inferMapping } from "#importers/formats/tables/infer";
import { writeZip } from "../../tests/importers/archives/zip-writer.ts";
import { createMemoryTree } from "../../tests/importers/support.ts";
import { writeNotes } from "./bear.ts";
import { writeCalendar } from "./calendar.ts";
import { writeAssistantChats } from "./chatgpt.ts";
import { writeContacts } from "./contacts.ts";
import { readHousehold } from "./household.ts";
import { writeGmailBox, writePlainBox } from "./mail.ts";
import { writePurchases } from "./purchases.ts";
import { writeChats } from "./whatsapp.ts";

/** The day after the household's year ends. */
export const exportedOn = new Date("2026-11-01T06:04:00Z");

/** The demo household as the archives its apps would export, by file name. Every run writes the same bytes. */
export async function buildArchives(): Promise<Map<string, string | Uint8Array>> {
  const demo = readHousehold();
  const takeout: Record<string, string> = {
    "Takeout/Mail/All mail Including Spam and Trash.mbox": writeGmailBox(demo.privateMails, demo.fileBytes),
    "Takeout/Contacts/All Contacts/All Contacts.vcf": writeContacts(),
  };
  for (const { id, name } of demo.calendars) {
    const own = demo.events.filter(({ calendar_id }) => calendar_id === id);
    takeout[`Takeout/Calendar/${name}.ics`] = writeCalendar(name, own);
  }
  const bear = "Bear Notes 2026-11-01 at 07.04.bear2bk";
  const purchases = writePurchases(demo.orders, demo.orderItems);
  const chats = writeChats(demo.chatRooms, demo.chatMessages);
  return new Map<string, string | Uint8Array>([
    ["takeout-20261101T060400Z-001.zip", zipFiles(takeout)],
    ["Work.mbox", writePlainBox(demo.workMails, demo.fileBytes)],
    ...chats.map(({ name, text }) => [name, zipFiles({ "_chat.txt": text })] as const),
    ["chatgpt-export.zip", zipFiles(writeAssistantChats(demo.assistantChats, demo.assistantMessages))],
    [bear, zipFiles(writeNotes(demo.notes, demo.noteFiles, demo.fileBytes, bear))],
    ["purchases.csv", purchases],
    // The mapping that `pdpp import purchases.csv --infer` suggests, unchanged.
    ["purchases.csv.pdpp.json", await suggestMapping(purchases)],
  ]);
}

const zipFiles = (files: Record<string, string | Uint8Array>): Uint8Array =>
  writeZip(Object.entries(files).map(([name, content]) => ({ name, content, modified: exportedOn })));

async function suggestMapping(table: string): Promise<string> {
  const [entry] = createMemoryTree({ "purchases.csv": table }, 0).entries;
  const mapping = entry === undefined ? undefined : await inferMapping(entry);
  return `${JSON.stringify(mapping, null, 2)}\n`;
}
