import type { ReadApi } from "@pdpp/contract/operations";
import { peopleStream } from "@pdpp/contract/people";
import { findPeopleConnection, loadPerson, type PersonView } from "../person/person-data.ts";

/** `Noor Achterwald <noor@example.net>` in its parts; without an address, all of it is the name. */
export function splitAddress(person: string): { readonly name: string; readonly address: string } {
  const [, name = person, address = ""] = /^(.{1,200}?)\s*<([^<>]{1,320})>$/s.exec(person) ?? [];
  return { name, address };
}

const maxAddressChars = 200;

/** An address may contain another one. */
const maxCandidates = 5;

/** The person who has the first address in these texts; one search and a few reads, however many people there are. */
export async function findCorrespondent(
  reader: ReadApi,
  texts: readonly (string | undefined)[],
): Promise<PersonView | undefined> {
  const address = texts
    .flatMap((text) => (text === undefined ? [] : splitAddress(text).address || text))
    .find((text) => text.length <= maxAddressChars && /^[^\s@"]+@[^\s@"]+$/.test(text))
    ?.toLowerCase();
  const connection = address === undefined ? undefined : await findPeopleConnection(reader);
  if (address === undefined || connection === undefined) return undefined;
  const { data } = await reader.search({
    q: `"${address}"`,
    streams: [peopleStream],
    connection_id: connection,
    limit: maxCandidates,
  });
  for (const { record_key } of data) {
    const person = await loadPerson(reader, connection, record_key);
    if (person.identities.some(({ kind, value }) => kind === "email" && value === address)) return person;
  }
  return undefined;
}
