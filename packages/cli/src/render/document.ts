import type { RecordDocument } from "@pdpp/contract/wire";
import { expandedLines, fieldsText, linkLines } from "./card.ts";
import { citationLines, sourceLines } from "./source.ts";
import { literal, named } from "./terminal/literal.ts";
import { continuation, counted, type View } from "./view.ts";
import { closing, nonceFor, opening, visibleOn } from "./window.ts";

/** A record to be read: its text between boundary lines, what else it has, and a command for each piece that is missing. */
export function documentText(view: View, document: RecordDocument, token: string): string {
  const { id, title, text, metadata } = document;
  const { omitted } = metadata;
  const nonce = nonceFor(token, [id, metadata.record_version, metadata.parts]);
  const cut = metadata.parts.flatMap(({ field_path, window, read }) =>
    read === undefined
      ? []
      : [
          `${named(field_path)}: characters ${window.start_chars} to ${window.end_chars} of ${window.total_chars}`,
          continuation(view, read),
        ],
  );
  return [
    view.style.bold(literal(title)),
    ...sourceLines(view, { ...metadata, id }),
    ...(metadata.text_field === undefined ? [] : [`text of ${named(metadata.text_field)}`]),
    opening(nonce),
    visibleOn(view, text),
    closing(nonce),
    ...cut,
    ...fieldsText(view, metadata.fields),
    ...(omitted === undefined ? [] : [`and ${counted(omitted.count, "more field")}`, continuation(view, omitted.read)]),
    view.style.dim(metadata.complete ? "complete" : "not complete"),
    ...linkLines(view, document.related),
    ...citationLines(document),
    ...expandedLines(view, document.expanded),
  ].join("\n");
}
