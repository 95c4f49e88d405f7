import type { Head } from "./importer.ts";
import { getFileName } from "./text/paths.ts";

/** Exports that are known but cannot be read, and what to export instead. */
interface UnsupportedExport {
  matches(path: string, head: Head): boolean;
  readonly advice: string;
}

const hasName = (name: RegExp) => (path: string) => name.test(getFileName(path));

const unsupported: readonly UnsupportedExport[] = [
  {
    matches: (path, { text }) =>
      /\.jex(\/|$)/i.test(path) ||
      (/^[0-9a-f]{32}\.md$/i.test(getFileName(path)) &&
        /(?:^|\n)id: [0-9a-f]{32}\r?\n/.test(text) &&
        /\ntype_: \d+\s*$/.test(text)),
    advice: "Joplin's own format; choose File, Export all, MD (Markdown with front matter)",
  },
  {
    matches: (path, { text }) =>
      /\.(znel|znote)$/i.test(path) ||
      (/\.html?$/i.test(path) && /\bzoho\b|<(?:znote|ZNote|ZMeta|ZContent)\b/i.test(text.slice(0, 20_000))),
    advice: "Zoho Notebook, which is not supported yet",
  },
  {
    matches: (path, { text }) =>
      /\.html?$/i.test(path) &&
      /messenger|facebook|instagram/i.test(text) &&
      (/(^|\/)(messages|inbox|e2ee_cutover|your_(facebook|instagram)_activity|your_activity[^/]*)\//i.test(path) ||
        /class="[^"]*(_a6-g|_3-95|_2ph_|uiBoxWhite)/.test(text)),
    advice: "Messenger, Facebook or Instagram as HTML; request it again and choose JSON",
  },
  {
    matches: hasName(/\.olm$/i),
    advice:
      "Outlook for Mac's own format; import it into Thunderbird and import Thunderbird's files, or save mails as .eml",
  },
  {
    matches: hasName(/\.crypt(12|14|15)$/i),
    advice: "WhatsApp's encrypted backup; in each chat choose More, Export chat",
  },
  {
    matches: hasName(/\.(one|onepkg|onetoc2)$/i),
    advice: "OneNote's own format; export the notes as Markdown or to Evernote",
  },
  {
    matches: hasName(/\.(exb|notes)$/i),
    advice: "Evernote's own database; right-click a notebook and choose Export, ENEX",
  },
  { matches: hasName(/\.(numbers|xlsx?|ods)$/i), advice: "a spreadsheet; save it as CSV" },
  { matches: hasName(/^winmail\.dat$/i), advice: "an Outlook attachment; import the mail itself" },
  {
    matches: (path, { text }) =>
      /\.html?$/i.test(path) && /class="page_wrap/.test(text) && /telegram|tg_|page_header/i.test(text),
    advice: "Telegram as HTML; export again and choose Machine-readable JSON",
  },
];

export const findUnsupportedAdvice = (path: string, head: Head): string | undefined =>
  unsupported.find(({ matches }) => matches(path, head))?.advice;
