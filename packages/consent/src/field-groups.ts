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

export function groupFields(stream: StreamDeclaration): FieldGroup[] {
  const { fields } = stream;
  const units = new Set(fields.flatMap(({ unitField }) => unitField ?? []));
  const links = listLinkFields(stream);
  return groupKinds.flatMap((kind) => {
    const members = fields.filter((field) => findGroupKind(field, units, links) === kind);
    return members.length === 0 ? [] : [{ kind, fields: members }];
  });
}

/** Fields that only tell records apart or connect them. Without them an agent can't relate records. */
export function listLinkFields({ primaryKey, conversation, generated, relationships }: StreamDeclaration): Set<string> {
  const turns = [conversation?.within, conversation?.by, generated?.field];
  return new Set([
    ...primaryKey,
    ...turns.filter((name) => name !== undefined),
    ...relationships.map(({ foreignKey }) => foreignKey),
  ]);
}

/** Types of values that say who, when and where. */
const headingTypes: ReadonlySet<string> = new Set(["person", "organization", "email", "phone", "timestamp", "place"]);

function findGroupKind(
  { name, kind, role, type, blob }: FieldDeclaration,
  units: ReadonlySet<string>,
  links: ReadonlySet<string>,
): GroupKind {
  if (blob || role === "media" || role === "blob-reference") return "files";
  if (role === "body") return "text";
  if (role === "amount" || units.has(name)) return "amounts";
  const isHeading = role !== undefined || kind === "date" || kind === "date-time" || headingTypes.has(type ?? "");
  return isHeading || links.has(name) ? "headings" : "details";
}
