import type { Input } from "@pdpp/contract/operations";
import type { RecordDocument } from "@pdpp/contract/wire";
import { getLongestListLength, type ListAll, limitExpanded } from "../cards/expanded.ts";
import type { EvidenceRecord } from "../cards/record.ts";
import { budget } from "../sizes/budget.ts";
import type { Measure } from "../sizes/measure.ts";
import { findMostFitting, fitsResult } from "../sizes/size.ts";
import { createDocument } from "./document.ts";

/** Everything a document carries besides the record: links, requested related records, and the page people open. */
export interface DocumentLeads extends Pick<RecordDocument, "related" | "expanded" | "citation_url"> {
  readonly listAll?: ListAll;
}

type DocumentRequest = Pick<Input<"fetch">, "limit_chars" | "max_chars" | "after_field" | "fields">;

/** If even this much text does not fit, the text is not what takes the space. */
const minChars = 64;

/** The requested document, shortened until it fits into `max_chars`. */
export function fitDocument(
  record: EvidenceRecord,
  request: DocumentRequest,
  measure: Measure,
  leads: DocumentLeads = {},
): RecordDocument {
  const { limit_chars: limit, max_chars: maxChars, after_field: after, fields } = request;
  const { citation_url: url } = leads;
  const extras = {
    ...(url === undefined ? {} : { citation_url: url }),
    ...fitLinks(leads, measure, maxChars),
    ...fitExpanded(leads, measure, maxChars),
  };
  let chars = Math.min(limit ?? budget.document.chars, budget.window.maxChars);
  for (;;) {
    const document = { ...createDocument(record, { chars, after, fields }), ...extras };
    if (maxChars === undefined || chars <= minChars || fitsResult(measure({ kind: "document", document }), maxChars))
      return document;
    chars = Math.max(minChars, Math.floor(chars * 0.8));
  }
}

/** Every link repeats the record's key, which may be long, so links take at most a quarter of the result. The first one always stays. */
function fitLinks(
  { related = [] }: DocumentLeads,
  measure: Measure,
  maxChars: number | undefined,
): Pick<RecordDocument, "related"> {
  if (related.length === 0) return {};
  if (maxChars === undefined) return { related };
  let used = 0;
  const end = related.findIndex((link) => {
    used += measure({ kind: "link", link }).chars;
    return used > maxChars / 4;
  });
  return { related: end < 0 ? related : related.slice(0, Math.max(1, end)) };
}

/** Related records take at most half of the result. */
function fitExpanded(
  { expanded, listAll = () => undefined }: DocumentLeads,
  measure: Measure,
  maxChars: number | undefined,
): Pick<RecordDocument, "expanded"> {
  if (expanded === undefined) return {};
  if (maxChars === undefined) return { expanded };
  const limited = (count: number) => limitExpanded(expanded, count, listAll);
  const fits = (count: number): boolean =>
    fitsResult(measure({ kind: "expanded", expanded: limited(count) }), maxChars / 2);
  const count = findMostFitting(getLongestListLength(expanded), fits);
  return { expanded: limited(fits(count) ? count : 0) };
}
