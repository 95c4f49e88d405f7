import { PdppError } from "@pdpp/contract/errors";
import type { OwnerApi } from "@pdpp/contract/owner";
import type { PersonDecision, PersonRecord } from "@pdpp/contract/people";
import { peopleStream } from "@pdpp/contract/people";
import type { EvidenceCard, SearchResult } from "@pdpp/contract/wire";
import { parseHandle } from "@pdpp/evidence/handles/handle";
import type { Viewpoint } from "../../explore/viewpoint.tsx";
import type { Names } from "../../frame/names.ts";
import { loadPerson, type PersonView, searchPeople } from "./person-data.ts";
import { compareNames } from "./similar-names.ts";

/** What the page of a person shows. Records are read through the viewpoint, so that a grant sees only what it covers. */

export const mentionsTab = "mentions";
const maxCandidates = 20;
const mentionsShown = 20;

export interface PersonTab {
  readonly name: string;
  readonly label: string;
  readonly count: number | undefined;
}

export interface PersonList {
  readonly items: readonly { readonly card: EvidenceCard; readonly at: number }[];
  /** How many further records can be shown. */
  readonly more: number;
  /** Counted records that are no longer cached. */
  readonly older: number;
}

export interface PersonQuestion {
  readonly other: PersonView;
}

export async function loadPersonFrom({ reader, names }: Viewpoint, id: string): Promise<PersonView | "another kind"> {
  const place = parseHandle(id);
  if (place === null) throw new PdppError("not_found", "this link doesn't point to a person");
  const isPerson =
    place.stream === peopleStream &&
    names.declaration(place.connectionId, place.stream)?.presentation?.kind === "person";
  if (!isPerson) return "another kind";
  return loadPerson(reader, place.connectionId, place.recordId).catch((error: unknown) => {
    if (error instanceof PdppError && error.code === "not_found")
      throw new PdppError(
        "not_found",
        "this person isn't there any more: joined with another one, or their source was removed",
      );
    throw error;
  });
}

const kindLabels: Readonly<Record<string, string>> = {
  mail: "Mail",
  conversation: "Chat",
  event: "Calendar",
  person: "Contacts",
  photo: "Photos",
  transaction: "Money",
  document: "Documents",
};

const getTabLabel = (names: Names, connectionId: string, stream: string): string => {
  const kind = names.declaration(connectionId, stream)?.presentation?.kind;
  return (kind === undefined ? undefined : kindLabels[kind]) ?? names.stream(connectionId, stream);
};

export function listTabs({ sources, things }: PersonView, names: Names): PersonTab[] {
  const kinds = new Map<string, number>();
  for (const { connection_id, stream, things: count } of sources) {
    const label = getTabLabel(names, connection_id, stream);
    kinds.set(label, (kinds.get(label) ?? 0) + count);
  }
  return [
    { name: "", label: "Everything", count: things },
    ...[...kinds].map(([label, count]) => ({ name: label, label, count })),
    { name: mentionsTab, label: "Mentions", count: undefined },
  ];
}

export async function loadRecords(
  owner: OwnerApi,
  { reader, names }: Viewpoint,
  person: PersonView,
  tab: PersonTab,
  show: number,
): Promise<PersonList> {
  const all = await owner.people.listRecords(person.identities.map(({ identity }) => identity));
  const kept = all.filter(
    ({ connection_id, stream }) =>
      names.declaration(connection_id, stream) !== undefined &&
      (tab.name === "" || getTabLabel(names, connection_id, stream) === tab.name),
  );
  const items: { card: EvidenceCard; at: number }[] = [];
  for (const record of kept.slice(0, show)) {
    const card = await loadCard(reader, record);
    if (card !== undefined) items.push({ card, at: record.at });
  }
  const more = Math.max(0, kept.length - show);
  return { items, more, older: Math.max(0, (tab.count ?? 0) - kept.length) };
}

/** A record may have been deleted since, or be outside the grant. */
async function loadCard(
  reader: Viewpoint["reader"],
  { connection_id, stream, record_id }: PersonRecord,
): Promise<EvidenceCard | undefined> {
  try {
    const card = await reader.fetch({ connection_id, stream, record_id, view: "evidence" });
    return card.object === "evidence_card" ? card : undefined;
  } catch (error) {
    if (error instanceof PdppError) return undefined;
    throw error;
  }
}

/** Records with the person's name in their text. A name may be somebody else's, so they are not counted. */
export async function findMentions({ reader }: Viewpoint, { display_name: name }: PersonView): Promise<SearchResult[]> {
  const q = `"${name.replaceAll('"', " ")}"`;
  const { data } = await reader.search({ q, limit: mentionsShown });
  return data.filter(({ stream, connector_key }) => !(stream === peopleStream && connector_key === peopleStream));
}

/** The most similar person that the owner has not been asked about. */
export async function findQuestion(
  reader: Viewpoint["reader"],
  connectionId: string,
  person: PersonView,
  decisions: readonly PersonDecision[],
): Promise<PersonQuestion | undefined> {
  if (person.identities.length === 0 || !/\p{L}/u.test(person.display_name)) return undefined;
  const found = await searchPeople(
    reader,
    connectionId,
    person.display_name.slice(0, 200).replace(/["*-]/g, " "),
    maxCandidates,
  );
  const ranked = found
    .filter(({ id, identities }) => id !== person.id && identities.length > 0)
    .map((other) => ({ other, likeness: compareNames(person.display_name, other.display_name) }))
    .filter(({ other, likeness }) => likeness > 0 && !isAnswered(person, other, decisions))
    .sort((a, b) => b.likeness - a.likeness || b.other.things - a.other.things);
  return ranked[0];
}

/** Whether the owner said that they are different people. */
export function isAnswered(one: PersonView, other: PersonView, decisions: readonly PersonDecision[]): boolean {
  const [a, b] = [one, other].map(({ identities }) => new Set(identities.map(({ identity }) => identity)));
  return decisions.some(
    ({ kind, identity, others }) =>
      kind === "different" &&
      ((a!.has(identity) && others.some((each) => b!.has(each))) ||
        (b!.has(identity) && others.some((each) => a!.has(each)))),
  );
}
