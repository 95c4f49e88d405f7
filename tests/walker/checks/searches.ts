import { listVisible } from "../../model/rules/grant.ts";
import { type ClientOf, callChecked, mayFail } from "../client.ts";
import { type Host, WalkError, walk } from "../walk.ts";

/** Searches for words inside the grant, which must be found, and outside, which must not seem to exist. */

const found = /CNRY_1\d{6}_/g;

export async function proveSearches(client: ClientOf, host: Host): Promise<void> {
  for (const { mark, id } of listSearchable(client).slice(0, 2)) {
    const ids = new Set<string>();
    await walk({
      host,
      first: [{ tool: "search", arguments: { query: `"${mark.replaceAll("_", " ").trim()}"` } }],
      mayFail,
      call: async (call) => {
        const exchange = await callChecked(client, call);
        const results = (exchange.result?.structuredContent.results ?? []) as { id: string }[];
        for (const hit of results) ids.add(hit.id);
        return exchange;
      },
    });
    if (!ids.has(id)) throw new WalkError(`a search for ${mark} did not find ${JSON.stringify(id)}`);
  }
  const { allowed, all } = client.marks;
  const far = [...all].filter((mark) => !allowed.has(mark) && /^CNRY_1\d{6}_$/.test(mark));
  const near = listWithheld(client).filter((mark) => !allowed.has(mark));
  for (const mark of [...spread(near, 4), ...spread(far, 2)]) {
    const query = `"${mark.replaceAll("_", " ").trim()}"`;
    const { result } = await callChecked(client, { tool: "search", arguments: { query } });
    const hits = (result?.structuredContent.results ?? []) as unknown[];
    const warnings = (result?.structuredContent.warnings ?? []) as { code: string }[];
    // A phrase that occurs nowhere is searched by its words, which other records may have.
    if (hits.length > 0 && !warnings.some(({ code }) => code === "phrase_not_found"))
      throw new WalkError(`a search for ${mark}, which is outside of the grant, found something`);
  }
}

export const spread = <T>(list: readonly T[], count: number): T[] =>
  list.filter((_, i) => i % Math.ceil(list.length / count) === 0);

/** Canaries in hidden fields of visible records: an index that ignores the grant would find them. */
export const listWithheld = ({ world }: ClientOf): string[] =>
  world.sources.flatMap((source) => {
    const fields = source.stream.fields.filter(({ name, lexical }) => lexical && !source.fields.has(name));
    return listVisible(source, world.snapshot).flatMap(({ data }) =>
      fields.flatMap(({ name }) => JSON.stringify(data[name] ?? null).match(found) ?? []),
    );
  });

/** Canaries that are whole words in searchable granted fields. */
export function listSearchable({ world }: ClientOf): { mark: string; id: string }[] {
  return world.sources.flatMap((source) => {
    const fields = source.stream.fields.filter(({ name, lexical }) => lexical && source.fields.has(name));
    return listVisible(source, world.snapshot).flatMap((record) =>
      fields.flatMap(({ name, encoding }) => {
        const value = record.data[name];
        if (typeof value !== "string" || encoding !== undefined || value.length > 2000) return [];
        const marks = [...value.matchAll(found)].filter(
          ({ index, 0: mark }) => value[index - 1] === " " && value[index + mark.length] === " ",
        );
        const id = `${record.connectionId}/${record.stream}:${record.key}`;
        return marks.map(([mark]) => ({ mark, id }));
      }),
    );
  });
}
