import type { FieldValues, Json, JsonObject, Role, StreamDeclaration } from "@pdpp/contract/declaration";

/** What the views of a kind read from declared roles and parts. */

export const findRoleField = ({ fields }: StreamDeclaration, role: Role): string | undefined =>
  fields.find((field) => field.role === role)?.name;

export const isOneOf = (data: JsonObject, declared: FieldValues | undefined): boolean => {
  const value = declared === undefined ? undefined : data[declared.field];
  return (typeof value === "string" || typeof value === "boolean") && declared!.values.includes(value);
};

export const readString = (data: JsonObject, field: string | undefined): string | undefined => {
  const value = field === undefined ? undefined : data[field];
  return typeof value === "string" && value !== "" ? value : undefined;
};

/** A text, or the texts of a list. */
export function readTexts(data: JsonObject, field: string | undefined): string[] {
  const value: Json | undefined = field === undefined ? undefined : data[field];
  const all = Array.isArray(value) ? value : [value ?? null];
  return all.filter((each): each is string => typeof each === "string" && each !== "");
}
