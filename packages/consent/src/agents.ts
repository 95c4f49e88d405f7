import { PdppError } from "@pdpp/contract/errors";
import type { Grant } from "@pdpp/contract/grant";
import { parseInstant } from "@pdpp/contract/instant";
import type { GrantDocument, LastReads, OwnerApi } from "@pdpp/contract/owner";
import { isolateLabel } from "@pdpp/evidence/text/label";
import { describeAccess, type SourceAccess } from "./access.ts";

/**
 * Grants as the owner thinks of them: everything approved together is one agent, and so is a grant together with those that replaced it.
 */

export interface Agent {
  readonly id: string;
  readonly client: string;
  readonly clientId: string;
  /** Its active grants; once it has ended, those it had. */
  readonly grants: readonly Grant[];
  readonly purpose: string | undefined;
  readonly purposeCodes: readonly string[];
  readonly status: "active" | "expired" | "revoked";
  readonly since: number;
  readonly until: number | undefined;
  readonly endedAt: number;
  /** When the owner last reduced its access. */
  readonly narrowedAt: number | undefined;
  readonly access: readonly SourceAccess[];
  /** Only the newest part of the log is searched, so an older read is "not lately". */
  readonly lastRead: number | "never" | "not lately";
}

/** There may be many ended agents; only the latest are listed. */
const maxEnded = 50;

export async function listAgents(owner: OwnerApi): Promise<Agent[]> {
  const all = await owner.grants.list();
  const byAgent = Map.groupBy(all, createAgentIdLookup(all));
  const describe = await createDescriber(owner, await owner.log.lastReads());
  const agents = [...byAgent].map(([id, grants]) => describe(id, grants)).sort((a, b) => b.since - a.since);
  const ended = agents.filter(({ status }) => status !== "active").slice(0, maxEnded);
  return agents.filter((agent) => agent.status === "active" || ended.includes(agent));
}

/** A grant belongs to its package, or to the newest of the grants that replaced it. */
function createAgentIdLookup(all: readonly GrantDocument[]): (grant: GrantDocument) => string {
  const byId = new Map(all.map((grant) => [grant.grant_id, grant]));
  const findNewest = (grant: GrantDocument): string => {
    const next = byId.get(grant.replaced_by?.[0] ?? "");
    return next === undefined ? grant.grant_id : findNewest(next);
  };
  return (grant) => grant.package_id ?? findNewest(grant);
}

export interface LoadedAgent {
  /** Its current id: a grant that was narrowed may have got another one. */
  readonly id: string;
  readonly agent: Agent;
  /** All its grants, past ones too, oldest first. */
  readonly grants: readonly GrantDocument[];
  /** Where the searched part of the log begins; null when all of it was searched. */
  readonly searchedFrom: number | null;
}

export async function loadAgent(owner: OwnerApi, id: string): Promise<LoadedAgent> {
  const named = await owner.grants.get(id);
  const all = await owner.grants.list();
  const getAgentId = createAgentIdLookup(all);
  const currentId = named.object === "grant" ? getAgentId(named) : id;
  const grants = all.filter((grant) => getAgentId(grant) === currentId);
  const reads = await owner.log.lastReads();
  const describe = await createDescriber(owner, reads);
  return { id: currentId, agent: describe(currentId, grants), grants, searchedFrom: reads.from };
}

async function createDescriber(owner: OwnerApi, reads: LastReads) {
  const catalog = await owner.catalog();
  return (id: string, all: readonly GrantDocument[]): Agent => {
    // Some grants of a package may have ended before the others.
    const active = all.filter(({ status }) => status === "active");
    const [first] = all;
    if (first === undefined) throw new PdppError("not_found", `there is no grant ${JSON.stringify(id)}`);
    const grants = active.length === 0 ? all.filter(({ replaced_by }) => replaced_by === undefined) : active;
    const since = parseTime(first.issued_at) ?? 0;
    const ends = grants.map(({ expires_at }) => parseTime(expires_at));
    return {
      id,
      client: isolateLabel(first.client.name),
      clientId: first.client.client_id,
      grants,
      purpose: first.purpose,
      purposeCodes: [...new Set(grants.flatMap(({ purpose_code }) => purpose_code ?? []))],
      status: grants[0]?.status ?? "revoked",
      since,
      until: ends.reduce((last, end) => (last === undefined || end === undefined ? undefined : Math.max(last, end))),
      endedAt: Math.max(
        ...grants.map(({ revoked_at, expires_at }) => parseTime(revoked_at) ?? parseTime(expires_at) ?? 0),
      ),
      narrowedAt: all.reduce<number | undefined>(
        (last, { replaces, issued_at }) => (replaces === undefined ? last : parseTime(issued_at)),
        undefined,
      ),
      access: describeAccess(grants, catalog),
      lastRead: findLastRead(all, since, reads),
    };
  };
}

const parseTime = (text: string | undefined): number | undefined =>
  text === undefined ? undefined : (parseInstant(text) ?? undefined);

function findLastRead(grants: readonly GrantDocument[], since: number, { at, from }: LastReads): Agent["lastRead"] {
  const times = grants.flatMap(({ grant_id }) => at.get(grant_id) ?? []);
  if (times.length > 0) return Math.max(...times);
  return from === null || from <= since ? "never" : "not lately";
}
