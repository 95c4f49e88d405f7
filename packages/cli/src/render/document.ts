import type { RecordDocument } from "@pdpp/contract/wire";
import { fieldsText, incomplete, omittedLines } from "./card.ts";
import { literal, named } from "./literal.ts";
import { sourceLine } from "./source.ts";
import { continuation, type View } from "./view.ts";
import { closing, nonceFor, opening, visibleOn } from "./window.ts";

/** A record to be read: its text between boundary lines, what else it has, and a command for each piece that is missing. */
export function documentText(view: View, { id, title, text, metadata }: RecordDocument, token: string): string {
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
    ...sourceLine(view, { ...metadata, id }),
    ...(metadata.text_field === undefined ? [] : [`text of ${named(metadata.text_field)}`]),
    opening(nonce),
    visibleOn(view, text),
    closing(nonce),
    ...cut,
    ...fieldsText(view, metadata.fields),
    ...omittedLines(view, metadata.omitted),
    ...(metadata.complete ? [] : [incomplete(view)]),
  ].join("\n");
}
