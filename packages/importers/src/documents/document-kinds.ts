import type { DocumentKind } from "@pdpp/evidence/fields/media-type";

/** Files whose text is extracted by a third-party parser, by type or by name. */
export function detectDocumentKind(mimeType: string, name: string): DocumentKind | undefined {
  if (/^application\/(x-)?pdf$/i.test(mimeType) || /\.pdf$/i.test(name)) return "pdf";
  if (/wordprocessingml\.document$/i.test(mimeType) || /\.docx$/i.test(name)) return "docx";
  return undefined;
}
