import type { FieldDeclaration, StreamDeclaration } from "@pdpp/contract/declaration";

/** Names of streams and fields as a person would write them. */

export const humanize = (name: string): string => {
  const words = name.replaceAll("_", " ").trim();
  return words.charAt(0).toUpperCase() + words.slice(1);
};

const maxTitleChars = 80;

export function labelField({ name, schema }: FieldDeclaration): string {
  const hasTitle = typeof schema.title === "string" && schema.title.trim() !== "";
  return hasTitle ? String(schema.title).slice(0, maxTitleChars) : humanize(name);
}

export const labelStream = (stream: StreamDeclaration): string => stream.display?.label ?? humanize(stream.name);
