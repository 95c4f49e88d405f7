import { deriveId } from "../../core/identity.ts";
import { isObject, toObject, toText } from "../../core/text/clean.ts";

/** A person or group in Signal. Recipient numbers change with each export; account ids, phone numbers and group keys do not. */
export interface Recipient {
  readonly key: string;
  readonly name: string;
  readonly kind: "self" | "contact" | "group" | "other";
}

export function parseRecipient(value: Record<string, unknown>, owner: string | null): Recipient {
  if (isObject(value.self)) return { key: "self", name: owner ?? "Me", kind: "self" };
  if (isObject(value.contact)) return parseContact(value.contact);
  if (isObject(value.group)) {
    const snapshot = toObject(value.group.snapshot);
    const title = isObject(snapshot.title) ? toText(snapshot.title.title) : toText(snapshot.title);
    // The group key grants access to the group, so only a digest is kept.
    return {
      key: deriveId("signal group", toText(value.group.masterKey) ?? title),
      name: title ?? "Group",
      kind: "group",
    };
  }
  return { key: deriveId("signal other", Object.keys(value).sort().join(" ")), name: "Signal", kind: "other" };
}

function parseContact(contact: Record<string, unknown>): Recipient {
  const nickname = toObject(contact.nickname);
  const names = [
    [nickname.given, nickname.family],
    [contact.systemGivenName, contact.systemFamilyName],
    [contact.profileGivenName, contact.profileFamilyName],
    [contact.username],
  ].map((parts) => parts.flatMap((part) => toText(part) || []).join(" "));
  const number = toPhoneNumber(contact.e164);
  const name = names.find((each) => each !== "") ?? number ?? "Unknown";
  const id = toText(contact.aci) || toText(contact.pni) || number || name;
  return { key: deriveId("signal contact", id), name, kind: "contact" };
}

const toPhoneNumber = (value: unknown): string | null => {
  const written = typeof value === "number" ? String(value) : toText(value);
  return written === null || written === "" ? null : written.startsWith("+") ? written : `+${written}`;
};
