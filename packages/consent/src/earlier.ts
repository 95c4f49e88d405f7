import { isolateLabel } from "@pdpp/evidence/text/label";
import type { Agent } from "./agents.ts";
import { type Choice, formatFieldKey } from "./choice.ts";

export interface EarlierAccess {
  readonly agent: Agent;
  /** The same client id. A client with the same name may be another program. */
  readonly isSameClient: boolean;
}

const maxEarlier = 5;

export function findEarlierAccess(agents: readonly Agent[], clientId: string, name: string): EarlierAccess[] {
  return agents
    .filter(({ status }) => status === "active")
    .map((agent) => ({ agent, isSameClient: agent.clientId === clientId }))
    .filter(({ agent, isSameClient }) => isSameClient || agent.client === isolateLabel(name))
    .sort((a, b) => Number(b.isSameClient) - Number(a.isSameClient))
    .slice(0, maxEarlier);
}

/** Selects exactly what an agent's current grants cover. */
export function chooseCurrentAccess({ grants }: Agent, choice: Choice): Choice {
  const streams = grants.flatMap(({ streams: granted }) => granted);
  const [since, ...others] = new Set(streams.map(({ time_constraint }) => time_constraint?.since ?? ""));
  return {
    ...choice,
    byField: true,
    preset: "choose",
    accounts: new Set(streams.flatMap(({ connection_ids }) => connection_ids)),
    fields: new Set(
      streams.flatMap(({ connection_ids, name, fields }) =>
        connection_ids.flatMap((id) => fields.map((field) => formatFieldKey(id, name, field))),
      ),
    ),
    since: others.length === 0 ? (since ?? "") : choice.since,
  };
}
