import type { Grant, GrantRequest } from "@pdpp/contract/grant";
import { parseInstant } from "@pdpp/contract/instant";
import type { OwnerApi } from "@pdpp/contract/owner";
import type { Agent } from "./agents.ts";
import { type Choice, isEmptyRange, listChosenFields, pickLater } from "./choice.ts";
import { buildOffer, type Offer } from "./offer.ts";
import type { Selection } from "./selection.ts";

/** Reducing an agent's access: its grants as an offer, and what remains of them after the owner's choice. */

export async function buildCurrentOffer(owner: OwnerApi, { id, grants }: Agent): Promise<Offer> {
  const offer = await buildOffer(
    await owner.grants.reader(id),
    await owner.catalog(),
    describeAsSelections(grants),
    "connectors",
  );
  const sources = offer.sources.map((source) => ({
    ...source,
    accounts: source.accounts.filter(({ isRequested }) => isRequested),
  }));
  return { ...offer, sources };
}

/** The grants as a client would ask for them. Grants of one connector become one source. */
function describeAsSelections(grants: readonly Grant[]): Selection[] {
  return [...Map.groupBy(grants, ({ connector_key }) => connector_key)].map(([id, ofConnector]) => ({
    source: { id },
    streams: [
      ...Map.groupBy(
        ofConnector.flatMap(({ streams }) => streams),
        ({ name }) => name,
      ),
    ].map(([name, granted]) => {
      const [only, ...others] = granted;
      const limits = others.length === 0 ? only : undefined;
      const { since, until } = limits?.time_constraint ?? {};
      return {
        name,
        fields: [...new Set(granted.flatMap(({ fields }) => fields))],
        instance_ids: [...new Set(granted.flatMap(({ connection_ids }) => connection_ids))],
        resources: limits?.resources,
        time_range: { since, until },
      };
    }),
  }));
}

/** Reduces each grant; never extends it. */
export function narrowSources(grants: readonly Grant[], { sources }: Offer, choice: Choice): GrantRequest["sources"] {
  return grants.flatMap(({ connector_key, streams }) => {
    const offered = sources.find(({ connectorKey }) => connectorKey === connector_key);
    const remaining = streams.flatMap((granted) => {
      const stream = offered?.streams.find(({ name }) => name === granted.name);
      const chosen = stream === undefined ? [] : listChosenFields(choice, offered?.key ?? "", stream);
      const fields = granted.fields.filter((name) => chosen.includes(name));
      const ids = granted.connection_ids.filter(
        (id) => choice.accounts.has(id) && offered?.accounts.some((account) => account.id === id),
      );
      const { until } = granted.time_constraint ?? {};
      const since = pickLater(granted.time_constraint?.since, stream?.isDated === true ? choice.since : "");
      if (fields.length === 0 || ids.length === 0 || isEmptyRange(since, until)) return [];
      const range = { ...(since === undefined ? {} : { since }), ...(until === undefined ? {} : { until }) };
      return [
        {
          name: granted.name,
          connection_ids: ids,
          fields,
          ...(Object.keys(range).length === 0 ? {} : { time_range: range }),
          ...(granted.resources === undefined ? {} : { resources: granted.resources }),
        },
      ];
    });
    return remaining.length === 0 ? [] : [{ connector_key, streams: remaining }];
  });
}

/** Why access can't end on that date; undefined when it can. */
export function checkEndDate(until: string, agent: Agent, now: number): string | undefined {
  if (until === "") return undefined;
  const end = parseInstant(until);
  if (end === null) return "Enter a valid date.";
  if (end <= now) return "Choose a future date. To end access now, revoke it.";
  if (agent.until !== undefined && end > agent.until)
    return "That is later than the current end date. To extend access, have the agent ask again.";
  return undefined;
}

export const buildNarrowedRequest = ({ client, clientId }: Agent, sources: GrantRequest["sources"]): GrantRequest => ({
  client: { name: client, client_id: clientId },
  sources,
});
