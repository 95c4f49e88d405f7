import { MIMEType } from "whatwg-mimetype";

/** What a media type says of bytes that are to be read: text as it stands, HTML, whose text is inside, or neither. */
export type TextKind = "plain" | "html";

const json = /^application\/(?:json|x-ndjson)$|\+json$/;

/** Mail may have spaces around the sign, which the standard does not allow. */
const parsed = (mediaType: string): MIMEType | null => MIMEType.parse(mediaType.replace(/\s*=\s*/g, "="));

export function textKind(mediaType: string): TextKind | null {
  const type = parsed(mediaType);
  if (type === null) return null;
  if (type.isHTML() || type.essence === "application/xhtml+xml") return "html";
  const plain = type.type === "text" || type.isXML() || type.isJavaScript() || json.test(type.essence);
  return plain ? "plain" : null;
}

export const isXml = (mediaType: string): boolean => parsed(mediaType)?.isXML() === true;

/** The character set that a media type names. */
export const charsetOf = (mediaType: string): string | undefined => parsed(mediaType)?.parameters.get("charset");
