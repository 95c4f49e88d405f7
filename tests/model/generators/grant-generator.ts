import fc from "fast-check";
import type { GrantRequest, VaultSpec } from "../spec.ts";
import { createKeyFields, formatKey, keyCount } from "./keys.ts";
import { dates, dateTimes } from "./values.ts";
import { at, type Blueprint, nat } from "./vault-generator.ts";

/** Generates random grants: one source, or a package of several. */

const grantStreamBlueprint = fc.record({
  stream: nat,
  connections: nat,
  fields: nat,
  allFields: fc.nat({ max: 2 }),
  since: nat,
  until: nat,
  resources: fc.oneof(
    { weight: 4, arbitrary: fc.constant<number[]>([]) },
    fc.array(nat, { minLength: 1, maxLength: 6 }),
  ),
});
const grantBlueprint = fc.record({
  sources: fc.array(
    fc.record({ connector: nat, streams: fc.array(grantStreamBlueprint, { minLength: 1, maxLength: 4 }) }),
    { minLength: 1, maxLength: 3 },
  ),
});

export const grantBlueprints = fc.array(grantBlueprint, { minLength: 1, maxLength: 3 });
export type GrantBlueprint = Blueprint<typeof grantBlueprint>;

/** Generates a grant, omitting sources that would overlap. */
export function buildGrant(vault: VaultSpec, blueprint: GrantBlueprint, name: string): GrantRequest {
  const taken = new Set<string>();
  const sources = blueprint.sources.flatMap(({ connector: c, streams }): GrantRequest["sources"] => {
    const connector = at(vault.connectors, c);
    const mine = vault.connections.filter(({ connectorKey }) => connectorKey === connector.key).map(({ id }) => id);
    const names = new Set<string>();
    const granted = streams.flatMap((wish): GrantRequest["sources"][number]["streams"] => {
      const stream = at(connector.streams, wish.stream);
      const ids = mine.filter((id, i) => ((wish.connections >> i) & 1) === 0 && !taken.has(`${id} ${stream.name}`));
      if (names.has(stream.name) || ids.length === 0) return [];
      names.add(stream.name);
      for (const id of ids) taken.add(`${id} ${stream.name}`);
      const fields = stream.fields.filter((_, f) => ((wish.fields >> f) & 1) === 0).map((field) => field.name);
      const range = stream.consentTimeField === undefined ? undefined : timeRange(wish.since, wish.until);
      const resources = wish.resources.map((r) => formatKey(stream, createKeyFields(stream, r % keyCount)));
      return [
        {
          name: stream.name,
          connection_ids: ids,
          ...(wish.allFields === 0 || fields.length === 0 ? {} : { fields }),
          ...(range === undefined ? {} : { time_range: range }),
          ...(resources.length === 0 ? {} : { resources }),
        },
      ];
    });
    return granted.length === 0 ? [] : [{ connector_key: connector.key, streams: granted }];
  });
  const first = vault.connectors[0]!;
  const whole = { connector_key: first.key, streams: [{ name: first.streams[0]!.name }] };
  return { client: { name }, sources: sources.length === 0 ? [whole] : sources };
}

function timeRange(since: number, until: number): { since?: string; until?: string } | undefined {
  const moments = [...dates, ...dateTimes];
  const [from, to] = [
    since % 3 === 0 ? at(moments, since) : undefined,
    until % 3 === 0 ? at(moments, until) : undefined,
  ];
  if (from !== undefined && to !== undefined && Date.parse(from) >= Date.parse(to)) return { until: from };
  if (from === undefined && to === undefined) return undefined;
  return { ...(from === undefined ? {} : { since: from }), ...(to === undefined ? {} : { until: to }) };
}
