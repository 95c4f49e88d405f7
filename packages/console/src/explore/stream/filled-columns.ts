import type { StreamDeclaration } from "@pdpp/contract/declaration";
import type { EvidenceCard } from "@pdpp/contract/wire";
import { listFields } from "../record/record.ts";
import { isEmpty } from "../record/record-card.ts";
import { listTellingColumns, maxColumns, type TableQuestion } from "./table-question.ts";

/** The default columns of a page: those without a value on it make room for others. */
export function fillColumns(
  question: TableQuestion,
  declaration: StreamDeclaration,
  technical: ReadonlySet<string>,
  cards: readonly EvidenceCard[],
): TableQuestion {
  if (!question.isDefault || cards.length === 0) return question;
  const filled = new Set(
    cards.flatMap((card) => listFields(card).flatMap((field) => (isEmpty(field) ? [] : [field.field_path]))),
  );
  const sorted = question.sort ?? declaration.cursorField;
  const kept = new Set(
    declaration.fields.flatMap(({ name, role }) =>
      role === "primary-title" || role === "event-time" || name === sorted ? [name] : [],
    ),
  );
  const columns = listTellingColumns(declaration, technical).filter((name) => filled.has(name) || kept.has(name));
  return columns.length === 0 ? question : { ...question, columns: columns.slice(0, maxColumns) };
}
