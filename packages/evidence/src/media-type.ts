/** What a media type says of bytes that are to be read: text as it stands, HTML, whose text is inside, or neither. */
export type TextKind = "plain" | "html";

const html: ReadonlySet<string> = new Set(["text/html", "application/xhtml+xml"]);
const plain = /^(?:text\/.+|application\/(?:json|xml|javascript|x-ndjson)|[^/]+\/.+\+(?:json|xml))$/;

/** Without its parameters, in lower case. */
const essence = (mediaType: string): string => mediaType.split(";", 1)[0]!.trim().toLowerCase();

export function textKind(mediaType: string): TextKind | null {
  const type = essence(mediaType);
  if (html.has(type)) return "html";
  return plain.test(type) ? "plain" : null;
}

export const isXml = (mediaType: string): boolean => /[/+]xml$/.test(essence(mediaType));

/** The character set that a media type names. */
export const charsetOf = (mediaType: string): string | undefined =>
  /;\s*charset\s*=\s*"?([^\s";]+)/i.exec(mediaType)?.[1];
