import type { FieldDeclaration, Json } from "@pdpp/contract/declaration";
import { detectEncoded } from "../fields/binary.ts";
import { isUnit } from "../fields/field.ts";
import { budget } from "../sizes/budget.ts";
import { takeFirstWords } from "../text/first-words.ts";
import { capitalize } from "../text/text.ts";
import { type EvidenceRecord, isShown } from "./record.ts";

/** The parts of a title for a record that declares none, from granted fields only, chosen by role and type. */

export function findActor(record: EvidenceRecord): string | undefined {
  for (const { field, value } of listFields(record, ({ role }) => role === "actor")) {
    const [first, second, ...others] = listTexts(value).flatMap(
      (name) => takeFirstWords(name, budget.card.titlePartChars) ?? [],
    );
    if (first === undefined) continue;
    const name = namesPart(record, field) ? capitalize(first) : first;
    if (second === undefined) return name;
    const both = `${name} and ${second}`;
    return others.length === 0 && both.length <= budget.card.titlePartChars
      ? both
      : `${name} and ${others.length + 1} more`;
  }
  return undefined;
}

/** Whether the values are parts such as `assistant` and `user`, and not people's names. */
const namesPart = ({ stream: { generated } }: EvidenceRecord, { name }: FieldDeclaration): boolean =>
  generated?.field === name;

/** The first words of the body, else the amount, else the name of a file. Undefined if `shown` has the text anyway. */
export function findTitleWords(record: EvidenceRecord, shown: ReadonlySet<string> = new Set()): string | undefined {
  for (const { field, value } of listFields(record, ({ role }) => role === "body")) {
    const words = typeof value === "string" ? takeFirstWords(value, budget.card.titleWordsChars) : undefined;
    if (words !== undefined && detectEncoded(value as string) === null)
      return shown.has(field.name) ? undefined : words;
  }
  return findAmount(record, shown) ?? findFileName(record, shown);
}

function findAmount(record: EvidenceRecord, shown: ReadonlySet<string>): string | undefined {
  for (const { field, value } of listFields(record, ({ role }) => role === "amount")) {
    if (typeof value !== "number" || shown.has(field.name)) continue;
    const unit =
      field.unitField !== undefined && isShown(record, field.unitField) ? record.data[field.unitField] : null;
    return isUnit(unit) ? `${value} ${unit}` : String(value);
  }
  return undefined;
}

function findFileName(record: EvidenceRecord, shown: ReadonlySet<string>): string | undefined {
  for (const { field, value } of listFields(record, ({ type }) => type === "filename")) {
    const [name] = shown.has(field.name) ? [] : listTexts(value);
    if (name !== undefined) return takeFirstWords(name, budget.card.titleWordsChars);
  }
  return undefined;
}

interface ShownField {
  readonly field: FieldDeclaration;
  readonly value: Json;
}

const listFields = (record: EvidenceRecord, isWanted: (field: FieldDeclaration) => boolean): ShownField[] =>
  record.stream.fields.flatMap((field) => {
    const value = isWanted(field) && isShown(record, field.name) ? record.data[field.name] : undefined;
    return value === undefined || value === null ? [] : [{ field, value }];
  });

const listTexts = (value: Json): string[] =>
  (Array.isArray(value) ? value : [value]).filter(
    (each) => typeof each === "string" && each.trim() !== "" && detectEncoded(each) === null,
  ) as string[];
