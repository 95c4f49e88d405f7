import type { FieldDeclaration, StreamDeclaration } from "@pdpp/contract/declaration";
import { isolateLabel } from "@pdpp/evidence/text/label";

/** Names of streams and fields as a person would write them. */

/** Names of formats and units that mean nothing to most people. */
const plainWords: ReadonlyMap<string, string> = new Map([
  ["body text", "text"],
  ["from name", "from"],
  ["mime type", "file type"],
  ["sender name", "sender"],
  ["size bytes", "size"],
]);

export const humanize = (name: string): string => {
  const raw = isolateLabel(name.replaceAll("_", " "));
  const words = plainWords.get(raw) ?? raw;
  return words.charAt(0).toUpperCase() + words.slice(1);
};

const maxTitleChars = 80;

export function labelField({ name, schema, role, kind }: FieldDeclaration): string {
  const hasTitle = typeof schema.title === "string" && schema.title.trim() !== "";
  if (hasTitle) return isolateLabel(String(schema.title), maxTitleChars);
  if (role === "blob-reference") return "File";
  // "All day: yes" reads better than "Is all day: yes".
  return humanize(kind === "boolean" ? name.replace(/^is_(?=.)/, "") : name);
}

/** A label inside a sentence. Acronyms keep their capitals. */
export const lowerFirst = (label: string): string =>
  /^.[a-z]/.test(label) ? label.charAt(0).toLowerCase() + label.slice(1) : label;

/** The kind of a source, unless its name already says it. */
export const findKindLabel = (name: string, kind: string): string | undefined =>
  name.toLowerCase().includes(kind.toLowerCase()) ? undefined : kind;

interface ListedSource {
  readonly label: string;
  readonly isDerived?: boolean;
}

/** By name; what is derived from the other sources comes after them. */
export const compareSources = (a: ListedSource, b: ListedSource): number =>
  Number(a.isDerived === true) - Number(b.isDerived === true) || a.label.localeCompare(b.label);

export const labelStream = (stream: StreamDeclaration): string =>
  stream.display?.label === undefined ? humanize(stream.name) : isolateLabel(stream.display.label);
