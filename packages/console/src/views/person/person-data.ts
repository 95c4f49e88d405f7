import { PdppError } from "@pdpp/contract/errors";
import type { ReadApi } from "@pdpp/contract/operations";
import { type PersonData, peopleConnectorKey, peopleStream, personData } from "@pdpp/contract/people";
import { formatHandle } from "@pdpp/evidence/handles/handle";
import { buildUrl } from "../../frame/addresses.ts";

export interface PersonView extends PersonData {
  readonly handle: string;
}

export interface PeoplePage {
  readonly people: readonly PersonView[];
  readonly nextCursor: string | undefined;
}

/** The connection that holds people; undefined if there are none yet, or the grant has none. */
export async function findPeopleConnection(reader: ReadApi): Promise<string | undefined> {
  const { data } = await reader.streams({});
  return data.find(({ name, connector_key }) => name === peopleStream && connector_key === peopleConnectorKey)
    ?.connection_id;
}

const parsePerson = (connectionId: string, recordId: string, data: unknown): PersonView => ({
  ...personData.parse(data),
  handle: formatHandle({ connectionId, stream: peopleStream, recordId }),
});

export async function listPeople(
  reader: ReadApi,
  connection_id: string,
  page: { readonly cursor?: string | undefined; readonly limit: number },
): Promise<PeoplePage> {
  const { limit, cursor } = page;
  const found = await reader.queryRecords({ stream: peopleStream, connection_id, limit, ...(cursor && { cursor }) });
  const people = found.data.flatMap((item) =>
    item.object === "record" && "data" in item ? [parsePerson(connection_id, item.id, item.data)] : [],
  );
  return { people, nextCursor: found.next_cursor };
}

export async function searchPeople(
  reader: ReadApi,
  connection_id: string,
  q: string,
  limit: number,
): Promise<PersonView[]> {
  const found = await reader.search({ q, streams: [peopleStream], connection_id, limit });
  const people: PersonView[] = [];
  for (const { record_key } of found.data) people.push(await loadPerson(reader, connection_id, record_key));
  return people;
}

export async function loadPerson(reader: ReadApi, connection_id: string, record_id: string): Promise<PersonView> {
  const item = await reader.fetch({ stream: peopleStream, connection_id, record_id });
  if (item.object !== "record" || !("data" in item)) throw new PdppError("not_found", "this person doesn't exist");
  return parsePerson(connection_id, record_id, item.data);
}

export const getPersonUrl = (
  handle: string,
  more: { readonly tab?: string | undefined; readonly show?: number | undefined } = {},
): string => buildUrl("person", { id: handle, ...more });
