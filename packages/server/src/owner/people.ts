import { PdppError } from "@pdpp/contract/errors";
import { formatInstant } from "@pdpp/contract/instant";
import {
  maxPersonIdentities,
  type PeopleApi,
  type PersonDecision,
  type PersonIds,
  type PersonRecord,
} from "@pdpp/contract/people";
import { loadOwnerScope } from "../auth/authenticate.ts";
import { createId } from "../auth/tokens.ts";
import { ingest } from "../ingest/ingest.ts";
import { buildPeople, connectPeople, loadDecisions } from "../people/build-people.ts";
import { followSources } from "../people/derive.ts";
import { decisionsStream } from "../people/manifest.ts";
import type { TraceRecord } from "../people/trace.ts";
import { logOwnerAction } from "../store/access/log/log-chain.ts";
import { parseStoredJson } from "../store/engine/json.ts";
import { countTraces, listTraceRecords } from "../store/traces/person-traces.ts";
import type { OwnerContext } from "./owner-context.ts";

/** More decisions than anyone makes by hand, and few enough to apply at once. */
const maxDecisions = 5000;
const maxOthers = 200;

export function createPeopleApi({ store, ownerNo, now }: OwnerContext): PeopleApi {
  const write = async (lines: readonly object[], operation: string): Promise<PersonIds> => {
    const connection = await connectPeople(store, ownerNo, now());
    const bytes = async function* () {
      for (const line of lines) yield Buffer.from(`${JSON.stringify(line)}\n`);
    };
    await ingest(store, { ownerNo, connection, stream: decisionsStream }, bytes(), { now });
    await store.engine.write((on) =>
      logOwnerAction(on, { ownerNo, at: now(), operation, connectionIds: [connection.id], stream: decisionsStream }),
    );
    return buildPeople(store, ownerNo, now());
  };
  const listDecisions = () => loadDecisions(store, ownerNo);
  return {
    async derive() {
      await followSources(store, { ownerNo });
      await buildPeople(store, ownerNo, now());
    },
    listDecisions,
    async decide({ kind, identity, others, title }) {
      const held = await listDecisions();
      if (held.length >= maxDecisions || others.length === 0 || others.length > maxOthers)
        throw new PdppError("resource_limit", `at most ${maxDecisions} decisions about ${maxOthers} identities each`);
      const decision: PersonDecision = {
        id: createId("dec"),
        title,
        kind,
        identity,
        others: [...others],
        decided_at: formatInstant(now()),
      };
      const opposed =
        kind === "same" ? held.filter((each) => each.kind === "different" && isAbout(each, decision)) : [];
      const dropped = opposed.map(({ id }) => ({ key: id, op: "delete" }));
      return { decision, people: await write([...dropped, { data: decision }], "people.decide") };
    },
    undo: (id) => write([{ key: id, op: "delete" }], "people.undo"),
    isFull: async () => (await store.engine.read((on) => countTraces(on, ownerNo))) >= maxPersonIdentities,
    async listRecords(identities) {
      const { streams } = await loadOwnerScope(store, ownerNo);
      const rows = await store.engine.read((on) => listTraceRecords(on, ownerNo, identities));
      const found = new Map<string, PersonRecord>();
      for (const { connectionNo, streamNo, records } of rows) {
        const scope = streams.find(({ stream }) => stream.streamNo === streamNo);
        const connection = scope?.connections.find(({ no }) => no === connectionNo);
        if (scope === undefined || connection === undefined) continue;
        const place = { connection_id: connection.id, stream: scope.stream.declaration.name };
        for (const [at, key] of parseStoredJson<TraceRecord[]>(records))
          found.set(`${connectionNo}/${streamNo}/${key}`, { ...place, record_id: key, at });
      }
      return [...found.values()].sort((a, b) => b.at - a.at);
    },
  };
}

/** Whether a decision keeps apart what another one joins. */
function isAbout(apart: PersonDecision, joined: PersonDecision): boolean {
  const all = new Set([joined.identity, ...joined.others]);
  return all.has(apart.identity) && apart.others.some((other) => all.has(other));
}
