import { MIMEType } from "whatwg-mimetype";

/** How the text of a blob is read: as is, extracted from HTML, or by a document parser. */
export type TextKind = "plain" | "html" | DocumentKind;
export type DocumentKind = "pdf" | "docx";

const json = /^application\/(?:json|x-ndjson)$|\+json$/;

const documents: { readonly [essence: string]: DocumentKind } = {
  "application/pdf": "pdf",
  "application/x-pdf": "pdf",
  "application/vnd.openxmlformats-officedocument.wordprocessingml.document": "docx",
};

/** Mail headers may have spaces around `=`, which the standard does not allow. */
const parseMediaType = (mediaType: string): MIMEType | null => MIMEType.parse(mediaType.replace(/\s*=\s*/g, "="));

export function getTextKind(mediaType: string): TextKind | null {
  const type = parseMediaType(mediaType);
  if (type === null) return null;
  if (type.isHTML() || type.essence === "application/xhtml+xml") return "html";
  const plain = type.type === "text" || type.isXML() || type.isJavaScript() || json.test(type.essence);
  return plain ? "plain" : (documents[type.essence] ?? null);
}

export const isDocument = (kind: TextKind): kind is DocumentKind => kind === "pdf" || kind === "docx";

export const isXml = (mediaType: string): boolean => parseMediaType(mediaType)?.isXML() === true;

export const getCharset = (mediaType: string): string | undefined =>
  parseMediaType(mediaType)?.parameters.get("charset");
