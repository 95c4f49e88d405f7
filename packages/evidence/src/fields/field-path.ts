import type { Json, JsonObject } from "@pdpp/contract/declaration";

/**
 * Paths into a record: `a.b[0].c`. A key that is empty or contains a dot, bracket, brace or control character is written as a
 * JSON string in brackets: `a["b.c"]`. A text that equals a top-level key means that key, dots included. A trailing `{text}`
 * means the text of the blob the value refers to; no key is written like that.
 */
export type FieldPath = readonly [string, ...(string | number)[]];

export type IsField = (name: string) => boolean;

/** A value, or the blob that the value refers to. */
export interface FieldTarget {
  readonly path: FieldPath;
  readonly of: "value" | "blob";
}

const blobStep = "{text}";

const isNoField: IsField = () => false;
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what must not stand bare
const bareKey = /^[^.[\]{}\u0000-\u001f\u007f-\u009f\u2028\u2029\ud800-\udfff]+$/u;
const segment = /(?<bare>[^.[\]{}]+)|\[ *(?:(?<index>0|[1-9]\d{0,14})|(?<quoted>"(?:[^"\\]|\\.)*")) *\]/suy;

export function parseFieldPath(text: string, isField: IsField = isNoField): FieldPath | null {
  if (isField(text)) return [text];
  const path: (string | number)[] = [];
  for (let at = 0; at < text.length; ) {
    const dotted = at > 0 && text[at] === ".";
    segment.lastIndex = dotted ? at + 1 : at;
    const groups = segment.exec(text)?.groups;
    const step = groups === undefined ? null : parseStep(groups);
    const bare = groups?.bare !== undefined;
    if (step === null || (at > 0 && bare !== dotted)) return null;
    path.push(step);
    at = segment.lastIndex;
  }
  const [first, ...rest] = path;
  return typeof first === "string" ? [first, ...rest] : null;
}

function parseStep({ bare, index, quoted }: { [name: string]: string | undefined }): string | number | null {
  if (bare !== undefined) return bare;
  if (index !== undefined) return Number(index);
  try {
    return JSON.parse(quoted!) as string;
  } catch {
    return null;
  }
}

/** Formats a path. Spaces in brackets keep it distinct from top-level keys that look like a path. */
export function formatFieldPath(path: FieldPath, isField: IsField = isNoField): string {
  const [first, ...rest] = path;
  return rest.length === 0 && isField(first) ? first : formatUnambiguously(path, "", isField);
}

export function parseFieldTarget(text: string, isField: IsField = isNoField): FieldTarget | null {
  const ofBlob = text.endsWith(blobStep) && !isField(text);
  const path = parseFieldPath(ofBlob ? text.slice(0, -blobStep.length) : text, isField);
  return path && { path, of: ofBlob ? "blob" : "value" };
}

export function formatFieldTarget({ path, of }: FieldTarget, isField: IsField = isNoField): string {
  if (of === "value") return formatFieldPath(path, isField);
  const plain = `${formatFieldPath(path, isField)}${blobStep}`;
  return isField(plain) ? formatUnambiguously(path, blobStep, isField) : plain;
}

function formatUnambiguously(path: FieldPath, end: string, isField: IsField): string {
  const plain = path.map((step, i) => formatStep(step, i)).join("");
  if (!isField(plain) && !isField(plain + end)) return plain + end;
  for (let pad = ""; ; pad += " ") {
    const padded = path.map((step) => `[${pad}${JSON.stringify(step)}${pad}]`).join("");
    if (!isField(padded) && !isField(padded + end)) return padded + end;
  }
}

function formatStep(step: string | number, i: number): string {
  if (typeof step === "number" || !bareKey.test(step)) return `[${JSON.stringify(step)}]`;
  return i === 0 ? step : `.${step}`;
}

export function getValue(data: JsonObject, path: FieldPath): Json | undefined {
  let value: Json | undefined = data;
  for (const step of path) {
    if (typeof value !== "object" || value === null) return undefined;
    if (Array.isArray(value)) value = typeof step === "number" ? value[step] : undefined;
    else value = typeof step === "string" && Object.hasOwn(value, step) ? value[step] : undefined;
  }
  return value;
}
