import type { JsonObject } from "@pdpp/contract/declaration";
import { type PersonDecision, type PersonIds, peopleConnectorKey, peopleStream } from "@pdpp/contract/people";
import { loadOwnerScope } from "../auth/authenticate.ts";
import { buildOwnerStreams } from "../auth/granted-streams.ts";
import { createId } from "../auth/tokens.ts";
import { ingest } from "../ingest/ingest.ts";
import type { StreamScope } from "../store/access/scope.ts";
import { type Connection, insertConnection, listConnections } from "../store/catalog/connections.ts";
import { lockOwner } from "../store/catalog/lock-owner.ts";
import { parseJsonObject, parseStoredJson } from "../store/engine/json.ts";
import { yieldToEventLoop } from "../store/engine/yield-to-event-loop.ts";
import { listRecordsAt, loadHorizon } from "../store/records/changes.ts";
import type { Store } from "../store/store.ts";
import { listTraces } from "../store/traces/person-traces.ts";
import { assignIds, buildPerson, type KnownIdentity, type PlacedTrace } from "./build-person.ts";
import { joinIdentities, type StatedPair } from "./join.ts";
import { decisionsStream, parsePeopleManifest, peopleVersion } from "./manifest.ts";

const pageRecords = 500;

/** Writes the people that the traces and the owner's decisions describe. Writing the same people again changes nothing. */
export async function buildPeople(store: Store, ownerNo: number, now: number): Promise<PersonIds> {
  const known = await loadIdentities(store, ownerNo);
  const connection = await findPeopleConnection(store, ownerNo);
  if (connection === undefined && known.size === 0) return new Map();
  const decisions = await loadDecisions(store, ownerNo);
  const pairs = [...known.values()].flatMap(({ identity, traces }) =>
    traces.flatMap(({ trace }) => Object.keys(trace.joined).map((other): StatedPair => [identity, other])),
  );
  const groups = joinIdentities(known.keys(), pairs, decisions);
  const held = await loadPeople(store, ownerNo);
  const owners = new Map<string, string>();
  for (const person of held.values())
    for (const identity of listIdentities(person)) owners.set(identity, String(person.id));
  const { timeZone } = await loadOwnerScope(store, ownerNo);
  const today = new Intl.DateTimeFormat("en-CA", { timeZone }).format(now);
  const people = assignIds(groups, owners);
  const kept = new Set(people.map(({ id }) => id));
  const lines = async function* (): AsyncGenerator<Uint8Array> {
    for (const { id, group } of people) {
      await yieldToEventLoop();
      const person = buildPerson(
        id,
        group.flatMap((identity) => known.get(identity) ?? []),
        today,
      );
      const text = JSON.stringify(person);
      const before = held.get(id);
      if (before !== undefined && JSON.stringify(before) === text) continue;
      yield Buffer.from(`{"data":${text}}\n`);
    }
    for (const id of held.keys())
      if (!kept.has(id)) yield Buffer.from(`${JSON.stringify({ key: id, op: "delete" })}\n`);
  };
  const target = connection ?? (await connectPeople(store, ownerNo, now));
  await ingest(store, { ownerNo, connection: target, stream: peopleStream }, lines(), { now: () => now });
  return new Map(people.flatMap(({ id, group }) => group.map((identity) => [identity, id])));
}

async function loadIdentities(store: Store, ownerNo: number): Promise<Map<string, KnownIdentity>> {
  const places = new Map<string, Omit<PlacedTrace, "trace">>();
  for (const { stream, connections } of (await loadOwnerScope(store, ownerNo)).streams)
    for (const { no, id } of connections)
      places.set(`${no}/${stream.streamNo}`, { connectionId: id, stream: stream.declaration.name });
  const known = new Map<string, KnownIdentity & { traces: PlacedTrace[] }>();
  for (let after = ""; ; ) {
    const from = after;
    const rows = await store.engine.read((on) => listTraces(on, ownerNo, from, pageRecords), "heavy");
    for (const { identity, connectionNo, streamNo, trace } of rows) {
      await yieldToEventLoop();
      const place = places.get(`${connectionNo}/${streamNo}`);
      if (place === undefined) continue;
      const each = known.get(identity) ?? { identity, traces: [] };
      known.set(identity, each);
      each.traces.push({ ...place, trace: parseStoredJson(trace) });
    }
    const last = rows.at(-1)?.identity;
    if (last === undefined) return known;
    after = last;
  }
}

const findPeopleConnection = async (store: Store, ownerNo: number): Promise<Connection | undefined> =>
  (await store.engine.read((on) => listConnections(on, ownerNo))).find(
    ({ connectorKey }) => connectorKey === peopleConnectorKey,
  );

/** The owner's People, created when first needed. */
export async function connectPeople(store: Store, ownerNo: number, now: number): Promise<Connection> {
  const registered = (await store.catalog()).connectors.get(peopleConnectorKey);
  if (registered?.declaration.version !== peopleVersion) await store.register(parsePeopleManifest(), now);
  return store.engine.write(async (on) => {
    await lockOwner(on, ownerNo);
    const find = async () =>
      (await listConnections(on, ownerNo)).find(({ connectorKey }) => connectorKey === peopleConnectorKey);
    const held = await find();
    if (held !== undefined) return held;
    const connection = { id: createId("cin"), connectorKey: peopleConnectorKey, label: "People", createdAt: now };
    await insertConnection(on, ownerNo, connection);
    return (await find())!;
  });
}

async function findScope(store: Store, ownerNo: number, name: string): Promise<StreamScope | undefined> {
  return store.engine.read(async (on) =>
    buildOwnerStreams(ownerNo, await store.catalog(on), await listConnections(on, ownerNo)).find(
      ({ connectorKey, stream }) => connectorKey === peopleConnectorKey && stream.declaration.name === name,
    ),
  );
}

/** All records of one of the derived streams, by key. */
async function loadRecords(store: Store, ownerNo: number, name: string): Promise<Map<string, JsonObject>> {
  const records = new Map<string, JsonObject>();
  const scope = await findScope(store, ownerNo, name);
  if (scope === undefined) return records;
  let after: { connectionId: string; key: string } | undefined;
  for (;;) {
    const from = after;
    const page = await store.engine.read(async (on) => {
      const { current: upTo } = await loadHorizon(on, ownerNo);
      return listRecordsAt(on, scope, { upTo, after: from, limit: pageRecords });
    }, "heavy");
    for (const { key, data } of page) {
      await yieldToEventLoop();
      records.set(key, parseJsonObject(data));
    }
    if (page.length < pageRecords) return records;
    after = page.at(-1)!.place;
  }
}

const loadPeople = (store: Store, ownerNo: number) => loadRecords(store, ownerNo, peopleStream);

export async function loadDecisions(store: Store, ownerNo: number): Promise<PersonDecision[]> {
  const records = await loadRecords(store, ownerNo, decisionsStream);
  return [...records.values()].map((data) => data as never);
}

function listIdentities({ identities }: JsonObject): string[] {
  if (!Array.isArray(identities)) return [];
  return identities.flatMap((each) =>
    typeof each === "object" && each !== null && !Array.isArray(each) && typeof each.identity === "string"
      ? [each.identity]
      : [],
  );
}
