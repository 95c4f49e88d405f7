import type { FieldDeclaration, StreamDeclaration } from "@pdpp/contract/declaration";

/** Fields that an owner decides about together. Grouping is for display only: a choice is always a set of fields. */

const groupKinds = ["headings", "text", "amounts", "files", "details"] as const;
export type GroupKind = (typeof groupKinds)[number];

export const groupLabels: Readonly<Record<GroupKind, string>> = {
  headings: "Names, dates and titles",
  text: "Text",
  amounts: "Amounts",
  files: "Files and images",
  details: "Other details",
};

export interface FieldGroup {
  readonly kind: GroupKind;
  readonly fields: readonly FieldDeclaration[];
}

export function groupFields({ fields }: StreamDeclaration): FieldGroup[] {
  const units = new Set(fields.flatMap(({ unitField }) => unitField ?? []));
  return groupKinds.flatMap((kind) => {
    const members = fields.filter((field) => findGroupKind(field, units.has(field.name)) === kind);
    return members.length === 0 ? [] : [{ kind, fields: members }];
  });
}

function findGroupKind({ role, blob }: FieldDeclaration, isUnit: boolean): GroupKind {
  if (blob || role === "media" || role === "blob-reference") return "files";
  if (role === "body") return "text";
  if (role === "amount" || isUnit) return "amounts";
  return role === undefined ? "details" : "headings";
}
