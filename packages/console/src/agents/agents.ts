import { PdppError } from "@pdpp/contract/errors";
import { parseInstant } from "@pdpp/contract/instant";
import type { GrantDocument, LastReads, OwnerApi } from "@pdpp/contract/owner";
import { readableOf } from "../frame/words.ts";
import type { Agent } from "./agents-page.ts";

/** What an owner gave to whom: grants that were given together are one thing, whoever asked for them, and so is a grant with those it replaced. */

/** Ended ones are of interest for a while, and there may be many. */
const mostEnded = 50;

export async function agentsOf(owner: OwnerApi): Promise<Agent[]> {
  const all = await owner.grants.list();
  const held = Map.groupBy(all, idIn(all));
  const made = await agentMaker(owner, await owner.log.lastReads());
  const agents = [...held].map(([id, grants]) => made(id, grants)).sort((a, b) => b.since - a.since);
  const ended = agents.filter(({ status }) => status !== "active").slice(0, mostEnded);
  return agents.filter((agent) => agent.status === "active" || ended.includes(agent));
}

/** What a grant is part of: its package, or the newest of those that replaced each other. */
function idIn(all: readonly GrantDocument[]): (grant: GrantDocument) => string {
  const byId = new Map(all.map((grant) => [grant.grant_id, grant]));
  const newest = (grant: GrantDocument): string => {
    const next = byId.get(grant.replaced_by?.[0] ?? "");
    return next === undefined ? grant.grant_id : newest(next);
  };
  return (grant) => grant.package_id ?? newest(grant);
}

interface Named {
  /** Under which it is found now: what was narrowed may have got another id. */
  readonly id: string;
  readonly agent: Agent;
  /** All that it ever was, the oldest first. */
  readonly grants: readonly GrantDocument[];
  /** Of a long log only what was read since then is looked at. */
  readonly lookedFrom: number | null;
}

export async function agentNamed(owner: OwnerApi, id: string): Promise<Named> {
  const named = await owner.grants.get(id);
  const all = await owner.grants.list();
  const idOf = idIn(all);
  const now = named.object === "grant" ? idOf(named) : id;
  const grants = all.filter((grant) => idOf(grant) === now);
  const reads = await owner.log.lastReads();
  return { id: now, agent: (await agentMaker(owner, reads))(now, grants), grants, lookedFrom: reads.from };
}

async function agentMaker(owner: OwnerApi, reads: LastReads) {
  const catalog = await owner.catalog();
  return (id: string, all: readonly GrantDocument[]): Agent => {
    // Of a package some grants may have ended before the others: it is what is left of it.
    const active = all.filter(({ status }) => status === "active");
    const [first] = all;
    if (first === undefined) throw new PdppError("not_found", `there is no grant ${JSON.stringify(id)}`);
    const grants = active.length === 0 ? all.filter(({ replaced_by }) => replaced_by === undefined) : active;
    const since = timeIn(first.issued_at) ?? 0;
    const ends = grants.map(({ expires_at }) => timeIn(expires_at));
    return {
      id,
      client: first.client.name,
      clientId: first.client.client_id,
      grants,
      purpose: first.purpose,
      purposeCodes: [...new Set(grants.flatMap(({ purpose_code }) => purpose_code ?? []))],
      status: grants[0]?.status ?? "revoked",
      since,
      until: ends.reduce((last, end) => (last === undefined || end === undefined ? undefined : Math.max(last, end))),
      endedAt: Math.max(...grants.map(({ revoked_at, expires_at }) => timeIn(revoked_at) ?? timeIn(expires_at) ?? 0)),
      narrowedAt: all.reduce<number | undefined>(
        (last, { replaces, issued_at }) => (replaces === undefined ? last : timeIn(issued_at)),
        undefined,
      ),
      reads: readableOf(grants, catalog),
      lastRead: lastReadOf(all, since, reads),
    };
  };
}

const timeIn = (text: string | undefined): number | undefined =>
  text === undefined ? undefined : (parseInstant(text) ?? undefined);

function lastReadOf(grants: readonly GrantDocument[], since: number, { at, from }: LastReads): Agent["lastRead"] {
  const times = grants.flatMap(({ grant_id }) => at.get(grant_id) ?? []);
  if (times.length > 0) return Math.max(...times);
  return from === null || from <= since ? "never" : "not lately";
}
