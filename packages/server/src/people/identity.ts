/**
 * A person is recognized by an email address, a phone number, or a name within one connection. Two sources that use the
 * same name may mean different people, so a name never identifies anyone outside its connection.
 */

export type IdentityKind = "email" | "phone" | "name";

/** Longer values are not identities, and would not fit an index. */
const maxChars = 200;

const emailPattern = /^[^\s@<>"(),;:\p{C}]+@[^\s@<>"(),;:\p{C}]+$/u;

export function identifyEmail(text: string): string | undefined {
  const address = text.trim().replace(/^mailto:/i, "");
  return address.length <= maxChars && emailPattern.test(address) ? `email:${address.toLowerCase()}` : undefined;
}

/** The number in a text such as "mobile: +49 (0)555 010-2208"; without its punctuation, so that one number has one spelling. */
export function identifyPhone(text: string): string | undefined {
  if (text.length > maxChars) return undefined;
  const [written = ""] = /\+?\d[\d\s()./-]{4,}\d/.exec(text) ?? [];
  const digits = written.replaceAll("(0)", "").replace(/\D/g, "");
  if (digits.length < 6 || digits.length > 20) return undefined;
  if (written.startsWith("+")) return `phone:+${digits}`;
  return digits.startsWith("00") ? `phone:+${digits.slice(2)}` : `phone:${digits}`;
}

/** Folds case, marks and spacing only: other names are other identities. */
export const foldName = (name: string): string =>
  name
    .normalize("NFKD")
    .replace(/\p{M}/gu, "")
    .toLowerCase()
    .replace(/[\p{P}\p{S}\p{C}\s]+/gu, " ")
    .trim();

export function identifyName(connectionId: string, name: string): string | undefined {
  const folded = foldName(name);
  return folded === "" || folded.length > maxChars ? undefined : `name:${connectionId}:${folded}`;
}

export const getIdentityKind = (identity: string): IdentityKind => {
  const kind = identity.slice(0, identity.indexOf(":"));
  return kind === "email" || kind === "phone" ? kind : "name";
};

/** The address or number of an identity, or the folded name. */
export function getIdentityValue(identity: string): string {
  const value = identity.slice(identity.indexOf(":") + 1);
  return getIdentityKind(identity) === "name" ? value.slice(value.indexOf(":") + 1) : value;
}

/** `Noor Achterwald <noor@example.net>`, or either half of it. */
export function parseWrittenPerson(text: string): { readonly name: string; readonly email?: string } {
  const written = text.trim();
  const [, before = "", inside = ""] = /^(.*)<([^<>]*)>$/su.exec(written) ?? [];
  const email = identifyEmail(inside) ?? identifyEmail(written);
  const name = (email === undefined ? written : before).trim().replace(/^(["'])(.*)\1$/su, "$2");
  return { name: name.slice(0, maxChars).toWellFormed(), ...(email === undefined ? {} : { email }) };
}
