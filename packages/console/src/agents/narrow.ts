import type { Grant, GrantRequest } from "@pdpp/contract/grant";
import { parseInstant } from "@pdpp/contract/instant";
import type { ReadApi } from "@pdpp/contract/operations";
import type { OwnerApi, OwnerCatalog } from "@pdpp/contract/owner";
import { type Choice, isEmpty, later, pickedFields } from "../consent/choice.ts";
import { type Offer, offerOf, type Selection } from "../consent/offer.ts";
import type { Agent } from "./agents-page.ts";

/** What an agent has, as something to choose from; and what is left of it after the choice. */

async function heldOffer(reader: ReadApi, catalog: OwnerCatalog, grants: readonly Grant[]): Promise<Offer> {
  const offer = await offerOf(reader, catalog, selectionsOf(grants));
  // Only what it has: an account that it cannot read is nothing to choose.
  const sources = offer.sources.map((source) => ({
    ...source,
    accounts: source.accounts.filter(({ asked }) => asked),
  }));
  return { ...offer, sources };
}

/** In the words in which a client would ask for it. Grants of one connector are shown as one source. */
function selectionsOf(grants: readonly Grant[]): Selection[] {
  return [...Map.groupBy(grants, ({ connector_key }) => connector_key)].map(([id, mine]) => ({
    source: { id },
    streams: [
      ...Map.groupBy(
        mine.flatMap(({ streams }) => streams),
        ({ name }) => name,
      ),
    ].map(([name, held]) => {
      const [only, ...others] = held;
      const limits = others.length === 0 ? only : undefined;
      const { since, until } = limits?.time_constraint ?? {};
      return {
        name,
        fields: [...new Set(held.flatMap(({ fields }) => fields))],
        instance_ids: [...new Set(held.flatMap(({ connection_ids }) => connection_ids))],
        resources: limits?.resources,
        time_range: { since, until },
      };
    }),
  }));
}

/** Of each grant what is ticked of it: never more than it has. */
export function leftSources(grants: readonly Grant[], { sources }: Offer, choice: Choice): GrantRequest["sources"] {
  return grants.flatMap(({ connector_key, streams }) => {
    const offered = sources.find(({ connectorKey }) => connectorKey === connector_key);
    const left = streams.flatMap((held) => {
      const stream = offered?.streams.find(({ name }) => name === held.name);
      const picked = stream === undefined ? [] : pickedFields(choice, connector_key, stream);
      const fields = held.fields.filter((name) => picked.includes(name));
      const ids = held.connection_ids.filter(
        (id) => choice.accounts.has(id) && offered?.accounts.some((each) => each.id === id),
      );
      const { until } = held.time_constraint ?? {};
      const since = later(held.time_constraint?.since, stream?.timed === true ? choice.since : "");
      if (fields.length === 0 || ids.length === 0 || isEmpty(since, until)) return [];
      const range = { ...(since === undefined ? {} : { since }), ...(until === undefined ? {} : { until }) };
      return [
        {
          name: held.name,
          connection_ids: ids,
          fields,
          ...(Object.keys(range).length === 0 ? {} : { time_range: range }),
          ...(held.resources === undefined ? {} : { resources: held.resources }),
        },
      ];
    });
    return left.length === 0 ? [] : [{ connector_key, streams: left }];
  });
}

/** Whether the end that was typed can be its end; otherwise, why not. */
export function endFault(until: string, agent: Agent, now: number): string | undefined {
  if (until === "") return undefined;
  const end = parseInstant(until);
  if (end === null) return "Enter a valid date.";
  if (end <= now) return "Choose a future date. To end access now, revoke it.";
  if (agent.until !== undefined && end > agent.until)
    return "That is later than the current end date. To extend access, have the agent ask again.";
  return undefined;
}

/** What the agent would be after it. */
export const leftRequest = ({ client, clientId }: Agent, sources: GrantRequest["sources"]): GrantRequest => ({
  client: { name: client, client_id: clientId },
  sources,
});

export const heldBy = async (owner: OwnerApi, agent: Agent): Promise<Offer> =>
  heldOffer(await owner.grants.reader(agent.id), await owner.catalog(), agent.grants);
