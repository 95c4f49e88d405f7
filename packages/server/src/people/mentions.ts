import type { FieldValues, Json, JsonObject, StreamDeclaration } from "@pdpp/contract/declaration";
import { parseInstant } from "@pdpp/contract/instant";
import { identifyEmail, identifyName, identifyPhone, parseWrittenPerson } from "./identity.ts";

/** A person as one record names them: addresses that the record says belong together, or a name alone. */
export interface Mention {
  readonly identities: readonly string[];
  readonly name: string;
  /** In an address book, rather than as a participant. */
  readonly isCard: boolean;
}

interface MentionedPeople {
  readonly mentions: readonly Mention[];
  readonly at: number | null;
}

export interface MentionReader {
  /** Changes when records must be read again. */
  readonly plan: string;
  read(data: JsonObject, connectionId: string): MentionedPeople;
}

/** More names in one record are a mailing list, not a conversation. */
const maxMentions = 50;
const maxCardAddresses = 20;

const personTypes = ["person", "email", "phone"] as const;
type PersonType = (typeof personTypes)[number];

/** A field that names people, and what its values are. */
interface PersonField {
  readonly name: string;
  readonly type: PersonType;
  readonly isActor: boolean;
  readonly isList: boolean;
}

/** Reads the people of a stream's records from declared types, roles and kinds; undefined if the stream declares none. */
export function createMentionReader(stream: StreamDeclaration): MentionReader | undefined {
  const fields = listPersonFields(stream);
  if (fields.length === 0) return undefined;
  const isCard = stream.presentation?.kind === "person" && fields.every(({ isActor }) => !isActor);
  const time = isCard ? undefined : stream.fields.find(({ role }) => role === "event-time")?.name;
  const title = stream.fields.find(({ role }) => role === "primary-title")?.name;
  const { generated, presentation } = stream;
  const own = presentation?.own;
  return {
    plan: JSON.stringify([1, isCard, time, title, fields, generated, own]),
    read(data, connectionId) {
      if (hasValue(data, generated)) return { mentions: [], at: null };
      const found = isCard
        ? readCard(fields, title === undefined ? undefined : data[title], data, connectionId)
        : readParticipants(fields, data, connectionId, hasValue(data, own));
      return { mentions: found.slice(0, maxMentions), at: time === undefined ? null : readTime(data[time]) };
    },
  };
}

const hasValue = (data: JsonObject, wanted: FieldValues | undefined): boolean =>
  wanted?.values.some((value) => value === data[wanted.field]) === true;

/** Payees are left out: a line of a bank statement names shops and fees more often than people. */
function listPersonFields({ fields, presentation }: StreamDeclaration): PersonField[] {
  const { emails, phones, payee } = presentation?.fields ?? {};
  return fields.flatMap(({ name, type: declared, kind, role }) => {
    if (name === payee) return [];
    const type = name === emails ? "email" : name === phones ? "phone" : personTypes.find((each) => each === declared);
    return type === undefined ? [] : [{ name, type, isActor: role === "actor", isList: kind !== "text" }];
  });
}

const listTexts = (value: Json | undefined): string[] =>
  (Array.isArray(value) ? value : [value]).filter((item) => typeof item === "string").slice(0, maxMentions);

function readCard(
  fields: readonly PersonField[],
  title: Json | undefined,
  data: JsonObject,
  connectionId: string,
): Mention[] {
  const name = typeof title === "string" ? parseWrittenPerson(title).name : "";
  const identities = new Set<string>();
  for (const { name: field, type } of fields) {
    for (const text of listTexts(data[field])) {
      const identity = type === "email" ? identifyEmail(text) : type === "phone" ? identifyPhone(text) : undefined;
      if (identity !== undefined && identities.size < maxCardAddresses) identities.add(identity);
    }
  }
  return createMention([...identities], name, true, connectionId);
}

/** In a record that the owner wrote, the actor is the owner, not somebody they are in touch with. */
function readParticipants(
  fields: readonly PersonField[],
  data: JsonObject,
  connectionId: string,
  isOwn: boolean,
): Mention[] {
  const addresses = fields.filter(({ type, isList }) => !isList && type !== "person");
  const actors = fields.filter(({ type, isList, isActor }) => !isList && type === "person" && isActor);
  // With several addresses or actors the record does not say whose address it is.
  const actor = actors.length === 1 && addresses.length === 1 ? actors[0] : undefined;
  const found: Mention[] = [];
  const taken = new Set<PersonField>(isOwn ? actors : []);
  if (actor !== undefined) {
    for (const field of [actor, addresses[0]!]) taken.add(field);
    const [name = ""] = listTexts(data[actor.name]);
    const [address = ""] = listTexts(data[addresses[0]!.name]);
    const written = parseWrittenPerson(name);
    const stated = identifyAddress(addresses[0]!, address) ?? written.email;
    if (!isOwn) found.push(...createMention(stated === undefined ? [] : [stated], written.name, false, connectionId));
  }
  for (const field of fields) {
    if (taken.has(field)) continue;
    for (const text of listTexts(data[field.name])) {
      const { name, email } = parseWrittenPerson(text);
      const phone = field.type === "phone" || email === undefined ? identifyWrittenPhone(field, text) : undefined;
      const identity = email ?? phone;
      found.push(
        ...createMention(
          identity === undefined ? [] : [identity],
          phone === undefined ? name : "",
          false,
          connectionId,
        ),
      );
    }
  }
  return found;
}

const identifyAddress = ({ type }: PersonField, text: string): string | undefined =>
  type === "phone" ? identifyPhone(text) : parseWrittenPerson(text).email;

/** A chat may call somebody who is not in the address book by their number. */
const identifyWrittenPhone = ({ type }: PersonField, text: string): string | undefined =>
  type === "phone" || (type === "person" && /^\+[\d\s()./-]+$/.test(text.trim())) ? identifyPhone(text) : undefined;

function createMention(addresses: readonly string[], name: string, isCard: boolean, connectionId: string): Mention[] {
  if (addresses.length > 0) return [{ identities: addresses, name, isCard }];
  const identity = name === "" ? undefined : identifyName(connectionId, name);
  return identity === undefined ? [] : [{ identities: [identity], name, isCard }];
}

function readTime(value: Json | undefined): number | null {
  if (typeof value === "number") return Number.isFinite(value) ? value : null;
  return typeof value === "string" ? parseInstant(value) : null;
}
