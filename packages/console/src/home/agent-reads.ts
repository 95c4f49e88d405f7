import { parseInstant } from "@pdpp/contract/instant";
import type { AccessDocument, OwnerApi } from "@pdpp/contract/owner";

/** Agents' reads of today as few sentences: reads of one agent that follow each other are one. */

export interface AgentReads {
  readonly client: string;
  readonly at: number;
  readonly records: number;
  readonly searches: number;
  readonly sources: readonly string[];
  /** Set if it was refused. */
  readonly refusal: AccessDocument | undefined;
}

/** Log entries read at most. */
const maxEntries = 100;
const maxPauseMs = 30 * 60_000;

export async function listAgentReads(
  owner: OwnerApi,
  since: number,
  most: number,
): Promise<{ readonly reads: readonly AgentReads[]; readonly hasAny: boolean }> {
  const { entries } = await owner.log.page({ limit: maxEntries });
  const byAgents = entries.filter(
    ({ kind, grant_ids }) => kind === "refusal" || (kind === "read" && grant_ids.length > 0),
  );
  const groups: AgentReads[] = [];
  for (const entry of byAgents) {
    const at = parseInstant(entry.at) ?? 0;
    if (at < since) break;
    const isRefusal = entry.kind === "refusal" || (entry.code !== undefined && entry.status >= 400);
    const index = groups.findLastIndex(
      (group) =>
        group.client === entry.client && (group.refusal !== undefined) === isRefusal && group.at - at <= maxPauseMs,
    );
    const group = groups[index];
    if (group === undefined)
      groups.push(
        addEntry(
          { client: entry.client, at, records: 0, searches: 0, sources: [], refusal: isRefusal ? entry : undefined },
          entry,
        ),
      );
    else if (!isRefusal) groups[index] = addEntry(group, entry);
  }
  return { reads: groups.slice(0, most), hasAny: byAgents.some(({ kind }) => kind === "read") };
}

const addEntry = (group: AgentReads, { records, operation, connection_ids }: AccessDocument): AgentReads => ({
  ...group,
  records: group.records + records,
  searches: group.searches + (operation === "search" ? 1 : 0),
  sources: records === 0 ? group.sources : [...new Set([...group.sources, ...connection_ids])],
});
