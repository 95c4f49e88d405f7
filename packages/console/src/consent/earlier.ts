import type { Agent } from "../agents/agents-page.ts";
import type { ReadableSource } from "../frame/words.ts";
import { type Choice, fieldName } from "./choice.ts";

/** What a client that asks again can read already, and what would be different. */

export interface Earlier {
  readonly agent: Agent;
  /** Known by its id. Another program can call itself the same. */
  readonly isSame: boolean;
}

const mostEarlier = 5;

export function earlierOf(agents: readonly Agent[], clientId: string, name: string): Earlier[] {
  return agents
    .filter(({ status }) => status === "active")
    .map((agent) => ({ agent, isSame: agent.clientId === clientId }))
    .filter(({ agent, isSame }) => isSame || agent.client === name)
    .sort((a, b) => Number(b.isSame) - Number(a.isSame))
    .slice(0, mostEarlier);
}

export interface Difference {
  readonly kind: "more" | "less" | "other";
  readonly text: string;
}

/** In the words of the page: what is read more, less, or within other times. */
export function differences(before: readonly ReadableSource[], after: readonly ReadableSource[]): Difference[] {
  const [old, fresh] = [placesIn(before), placesIn(after)];
  const found: Difference[] = [];
  for (const [key, place] of fresh) {
    const held = old.get(key);
    const more = [...place.fields].filter((field) => !held?.fields.has(field));
    if (more.length > 0) found.push({ kind: "more", text: `${place.name}: ${more.join(", ")}` });
    if (held !== undefined && held.limits !== place.limits)
      found.push({ kind: "other", text: `${place.name}: ${place.limits} (now ${held.limits})` });
  }
  for (const [key, place] of old) {
    const less = [...place.fields].filter((field) => !fresh.get(key)?.fields.has(field));
    if (less.length > 0) found.push({ kind: "less", text: `${place.name}: ${less.join(", ")}` });
  }
  return found;
}

interface Place {
  readonly name: string;
  readonly fields: Set<string>;
  readonly limits: string;
}

function placesIn(sources: readonly ReadableSource[]): Map<string, Place> {
  const places = new Map<string, Place>();
  for (const { label, accounts, streams } of sources) {
    for (const stream of streams) {
      for (const account of accounts) {
        const name = `${account}, ${stream.label}`;
        const key = JSON.stringify([label, name]);
        const fields = places.get(key)?.fields ?? new Set<string>();
        for (const part of stream.parts) for (const field of part.fields) fields.add(field);
        places.set(key, { name, fields, limits: limitsOf(stream) });
      }
    }
  }
  return places;
}

const limitsOf = ({ since, until, records }: ReadableSource["streams"][number]): string =>
  [
    since === undefined ? "any date" : `since ${since}`,
    until === undefined ? "" : `before ${until}`,
    records === undefined ? "" : `${records} records`,
  ]
    .filter((part) => part !== "")
    .join(", ");

/** Ticks what an earlier grant holds. */
export function earlierChoice({ grants }: Agent, choice: Choice): Choice {
  const streams = grants.flatMap(({ connector_key, streams: held }) =>
    held.map((stream) => ({ connectorKey: connector_key, ...stream })),
  );
  const [first, ...others] = new Set(streams.map(({ time_constraint }) => time_constraint?.since ?? ""));
  return {
    ...choice,
    byField: true,
    accounts: new Set(streams.flatMap(({ connection_ids }) => connection_ids)),
    fields: new Set(
      streams.flatMap(({ connectorKey, name, fields }) => fields.map((field) => fieldName(connectorKey, name, field))),
    ),
    since: others.length === 0 ? (first ?? "") : choice.since,
  };
}
