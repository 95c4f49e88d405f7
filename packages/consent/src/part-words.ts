import type { FieldDeclaration, StreamDeclaration } from "@pdpp/contract/declaration";
import { type FieldGroup, type GroupKind, listLinkFields } from "./field-groups.ts";
import { labelField } from "./labels.ts";

/** The words with which a line says what is read from a source: "Senders, subjects, dates and texts. No attachments." */

export interface PartWords {
  /** The data read when the part is chosen. Empty for fields that only connect records. */
  readonly included: readonly string[];
  /** The data withheld when it isn't chosen. */
  readonly missing: string;
}

/** Labels that say little once "name" or "address" is left out. */
const knownWords: ReadonlyMap<string, string> = new Map([
  ["display", "names"],
  ["full", "names"],
  ["from", "senders"],
  ["to", "recipients"],
  ["cc", "recipients"],
  ["bcc", "recipients"],
  ["people", "people"],
]);

const maxWordChars = 40;

/** A label such as "Sender name" as the things it holds: "senders". */
function formatPlural(label: string): string {
  const name = label
    .toLowerCase()
    .replace(/ (name|address)$/, "")
    .trim()
    .slice(0, maxWordChars);
  const known = knownWords.get(name);
  if (known !== undefined) return known;
  if (/[^a-z]$|ss$|^$/.test(name)) return /[sxz]$/.test(name) ? `${name}es` : name;
  if (/s$/.test(name)) return name.endsWith("us") ? `${name}es` : name;
  if (/[^aeiou]y$/.test(name)) return `${name.slice(0, -1)}ies`;
  return /(x|z|ch|sh)$/.test(name) ? `${name}es` : `${name}s`;
}

function describeHeading(field: FieldDeclaration): string {
  if (field.role === "event-time" || field.type === "timestamp" || field.kind === "date" || field.kind === "date-time")
    return "dates";
  return formatPlural(labelField(field));
}

const describeFiles = ({ fields, presentation }: StreamDeclaration, files: FieldGroup["fields"]): string => {
  if (files.every(({ role, type }) => role === "media" || type === "image")) return "pictures";
  // The records of such a stream are attachments themselves.
  if (presentation?.kind === "document") return "files";
  return fields.some(({ role }) => role === "body") ? "attachments" : "files";
};

const missingWords: Readonly<Record<Exclude<GroupKind, "files">, string>> = {
  headings: "names, dates and titles",
  text: "texts",
  amounts: "amounts",
  details: "other details",
};

export function describeGroup(stream: StreamDeclaration, { kind, fields }: FieldGroup): PartWords {
  if (kind === "files") {
    const word = describeFiles(stream, fields);
    return { included: [word], missing: word };
  }
  const missing = missingWords[kind];
  if (kind !== "headings") return { included: [missing], missing };
  const links = listLinkFields(stream);
  const words = fields.filter(({ name, role }) => role !== undefined || !links.has(name)).map(describeHeading);
  // Dates read best after the names.
  const included = [...new Set(words)].sort((a, b) => Number(a === "dates") - Number(b === "dates"));
  return { included, missing };
}
