import { PdppError } from "@pdpp/contract/errors";
import { instantOf } from "@pdpp/contract/instant";
import type { GrantDocument, LastReads, OwnerApi } from "@pdpp/contract/owner";
import { readableOf } from "../frame/words.ts";
import type { Agent } from "./agents-page.ts";

/** What an owner gave to whom: grants that were given together are one thing, whoever asked for them. */

/** Ended ones are of interest for a while, and there may be many. */
const mostEnded = 50;

export async function agentsOf(owner: OwnerApi): Promise<Agent[]> {
  const held = Map.groupBy(await owner.grants.list(), idOf);
  const made = await agentMaker(owner);
  const agents = [...held].map(([id, grants]) => made(id, grants)).sort((a, b) => b.since - a.since);
  const ended = agents.filter(({ status }) => status !== "active").slice(0, mostEnded);
  return agents.filter((agent) => agent.status === "active" || ended.includes(agent));
}

const idOf = ({ package_id, grant_id }: GrantDocument): string => package_id ?? grant_id;

export async function agentNamed(
  owner: OwnerApi,
  id: string,
): Promise<{ readonly agent: Agent; readonly grants: readonly GrantDocument[] }> {
  const named = await owner.grants.get(id);
  const grants = named.object === "grant" ? [named] : named.grants;
  return { agent: (await agentMaker(owner))(id, grants), grants };
}

async function agentMaker(owner: OwnerApi) {
  const [catalog, reads] = [await owner.catalog(), await owner.log.lastReads()];
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
      reads: readableOf(grants, catalog),
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
