import type { MatchEvidence, SearchResult } from "@pdpp/contract/wire";
import { tokenize } from "@pdpp/language/words/tokenize";
import { budget } from "../sizes/budget.ts";
import { type EvidenceRecord, isShown } from "./record.ts";
import { makeTitle } from "./title.ts";

/** Hits that differ only in their time, such as occurrences of a recurring event. */

export interface Likeness {
  /** Equal for hits that look the same. */
  readonly key: string;
  /** An exact filter that lists the similar records. */
  readonly field: string;
  readonly value: string;
}

/**
 * Two hits are alike if they show the same source, title, details and passages, word for word; a different number or name keeps
 * them apart. Undefined if no short filter would list the similar records.
 */
export function getLikeness(record: EvidenceRecord, hit: Shown): Likeness | undefined {
  const { title, field: titleField } = makeTitle(record);
  const field = titleField ?? hit.evidence.find(({ truncated }) => !truncated)?.field_path;
  const value = field !== undefined && isShown(record, field) ? record.data[field] : undefined;
  if (field === undefined || typeof value !== "string" || value.length > budget.card.titleChars) return undefined;
  const { connection_id, stream, details = [], evidence } = hit;
  const shown = [
    connection_id,
    stream,
    titleField === undefined ? null : title,
    details.map((detail) => [detail.field_path, detail.value, detail.unit ?? null]),
    evidence.map(({ field_path, preview }) => [field_path, tokenize(preview).map(({ form }) => form)]),
  ];
  return { key: JSON.stringify(shown), field, value };
}

type Shown = Pick<SearchResult, "connection_id" | "stream" | "details"> & {
  readonly evidence: readonly MatchEvidence[];
};
