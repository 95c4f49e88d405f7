import type { RecordDocument } from "@pdpp/contract/wire";
import { formatExpanded, formatFields, formatRelatedLinks } from "./card.ts";
import { formatCitation, formatSource } from "./source.ts";
import { formatName } from "./terminal/literal.ts";
import { showText } from "./terminal/readable.ts";
import { formatContinuation, formatCount, type View } from "./view.ts";
import { createNonce, escapeForView, formatClosing, formatOpening, wrapLines } from "./window.ts";

/** Formats a record with its text between boundary lines and a command for each missing piece. */
export function formatDocument(view: View, document: RecordDocument, token: string): string {
  const { id, title, text, metadata } = document;
  const { omitted } = metadata;
  const nonce = createNonce(token, [id, metadata.record_version, metadata.parts]);
  const cut = metadata.parts.flatMap(({ field_path, window, read }) =>
    read === undefined
      ? []
      : [
          `${formatName(field_path)}: characters ${window.start_chars} to ${window.end_chars} of ${window.total_chars}`,
          formatContinuation(view, read),
        ],
  );
  return [
    view.style.bold(showText(view, title)),
    ...formatSource(view, { ...metadata, id }),
    ...(metadata.text_field === undefined ? [] : [`text of ${formatName(metadata.text_field)}`]),
    formatOpening(nonce),
    wrapLines(view, escapeForView(view, text)),
    formatClosing(nonce),
    ...cut,
    ...formatFields(view, metadata.fields),
    ...(omitted === undefined
      ? []
      : [`and ${formatCount(omitted.count, "more field")}`, formatContinuation(view, omitted.read)]),
    view.style.dim(metadata.complete ? "complete" : "not complete"),
    ...formatRelatedLinks(view, document.related),
    ...formatCitation(document),
    ...formatExpanded(view, document.expanded),
  ].join("\n");
}
