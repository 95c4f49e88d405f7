import { listVisible } from "../../model/rules/grant.ts";
import { type ClientOf, callChecked } from "../client.ts";
import type { Call } from "../hosts/mcp-host.ts";
import { WalkError } from "../walk.ts";

/** Asks for hidden data by name: a field of a visible record, and a hidden record. Each call must be rejected. */
export async function proveWithheld(client: ClientOf): Promise<void> {
  for (const call of probes(client).slice(0, 40)) {
    const { result } = await callChecked(client, call);
    if (result?.isError !== true) throw new WalkError(`what is kept back was answered: ${JSON.stringify(call)}`);
  }
}

function probes({ world }: ClientOf): Call[] {
  return world.sources.flatMap((source) => {
    const seen = listVisible(source, world.snapshot);
    const [record] = seen;
    const stream = source.stream.name;
    const ids = new Set(seen.map(({ connectionId, key }) => `${connectionId}/${stream}:${key}`));
    const unseen = [...world.snapshot.values()]
      .filter((other) => other.stream === stream && source.connectionIds.includes(other.connectionId))
      .map(({ connectionId, key }) => `${connectionId}/${stream}:${key}`)
      .filter((id) => !ids.has(id));
    const records = unseen.slice(0, 3).map((id): Call => ({ tool: "fetch", arguments: { id } }));
    if (record === undefined) return records;
    const id = `${record.connectionId}/${stream}:${record.key}`;
    const place = { stream, connection_id: record.connectionId };
    const withheld = source.stream.fields.filter(({ name }) => !source.fields.has(name)).slice(0, 3);
    const fields = withheld.flatMap(({ name }): Call[] => [
      { tool: "read_record_field", arguments: { id, field_path: name } },
      { tool: "fetch", arguments: { id, fields: [name] } },
      { tool: "query_records", arguments: { ...place, fields: [name] } },
      { tool: "query_records", arguments: { ...place, filter: { [name]: "x" } } },
      { tool: "aggregate", arguments: { ...place, metric: "count", group_by: name } },
    ]);
    return [...records, ...fields];
  });
}
