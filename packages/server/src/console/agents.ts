import { PdppError } from "@pdpp/contract/errors";
import { instantOf } from "@pdpp/contract/instant";
import type { GrantDocument } from "@pdpp/contract/owner";
import { createOwner } from "../owner/owner.ts";
import { type LastReads, lastReads, recentReads } from "../store/access/last-reads.ts";
import type { OwnerSession } from "../store/access/sign-in.ts";
import { connections } from "../store/catalog/connections.ts";
import type { Agent } from "./agents-page.ts";
import type { PageParts } from "./session.ts";
import { readableOf } from "./words.ts";

/** What an owner gave to whom: grants that were given together are one thing, whoever asked for them. */

type Parts = Pick<PageParts, "store" | "now">;

const ownerOf = ({ store, now }: Parts, { ownerNo }: Pick<OwnerSession, "ownerNo">) =>
  createOwner({ store, ownerNo, now });

/** Ended ones are of interest for a while, and there may be many. */
const mostEnded = 50;

export async function agentsOf(parts: Parts, session: OwnerSession): Promise<Agent[]> {
  const held = Map.groupBy(await ownerOf(parts, session).grants.list(), idOf);
  const made = await agentMaker(parts, session);
  const agents = [...held].map(([id, grants]) => made(id, grants)).sort((a, b) => b.since - a.since);
  const ended = agents.filter(({ status }) => status !== "active").slice(0, mostEnded);
  return agents.filter((agent) => agent.status === "active" || ended.includes(agent));
}

const idOf = ({ package_id, grant_id }: GrantDocument): string => package_id ?? grant_id;

export async function agentNamed(
  parts: Parts,
  session: OwnerSession,
  id: string,
): Promise<{ readonly agent: Agent; readonly grants: readonly GrantDocument[] }> {
  const named = await ownerOf(parts, session).grants.get(id);
  const grants = named.object === "grant" ? [named] : named.grants;
  return { agent: (await agentMaker(parts, session))(id, grants), grants };
}

export async function recentlyRead({ store }: Parts, session: OwnerSession, grants: readonly GrantDocument[]) {
  const ids = grants.map(({ grant_id }) => grant_id);
  return store.engine.read((on) => recentReads(on, session.ownerNo, ids, 20));
}

export async function revokeAgent(parts: Parts, session: OwnerSession, id: string): Promise<string> {
  const { grants } = await agentNamed(parts, session, id);
  await ownerOf(parts, session).grants.revoke(id);
  return grants[0]?.client.name ?? id;
}

async function agentMaker({ store }: Parts, { ownerNo }: OwnerSession) {
  // What was read a moment ago is on its way into the log.
  await store.log.flush();
  const catalog = await store.catalog();
  const [mine, reads] = await store.engine.read(async (on) => [
    await connections(on, ownerNo),
    await lastReads(on, ownerNo),
  ]);
  return (id: string, all: readonly GrantDocument[]): Agent => {
    // Of a package some grants may have ended before the others: it is what is left of it.
    const active = all.filter(({ status }) => status === "active");
    const [first] = all;
    if (first === undefined) throw new PdppError("not_found", `there is no grant ${JSON.stringify(id)}`);
    const grants = active.length === 0 ? all : active;
    const since = timeIn(first.issued_at) ?? 0;
    return {
      id,
      client: first.client.name,
      clientId: first.client.client_id,
      grants,
      purpose: first.purpose,
      status: grants[0]?.status ?? "revoked",
      since,
      until: timeIn(first.expires_at),
      endedAt: timeIn(first.revoked_at) ?? timeIn(first.expires_at),
      reads: readableOf(grants, catalog, mine),
      lastRead: lastReadOf(all, since, reads),
    };
  };
}

const timeIn = (text: string | undefined): number | undefined =>
  text === undefined ? undefined : (instantOf(text) ?? undefined);

function lastReadOf(grants: readonly GrantDocument[], since: number, { at, from }: LastReads): Agent["lastRead"] {
  const times = grants.flatMap(({ grant_id }) => at.get(grant_id) ?? []);
  if (times.length > 0) return Math.max(...times);
  return from === null || from <= since ? "never" : "not lately";
}
