import type { CompactSchema } from "@pdpp/contract/wire";
import { describe, expect, it } from "vitest";
import { countChars, fitsTextAndObject } from "../size.ts";
import { formatSchemaIndex } from "./schema-index.ts";

const makeNumbered = (count: number, prefix: string): string[] =>
  Array.from({ length: count }, (_, i) => `${prefix}${i}`);

const kinds = "archived saved shared deleted pinned recent flagged sent draft blocked".split(" ");
const things = "messages orders playlists photos invoices contacts workouts trips comments searches".split(" ");
const makeName = (i: number): string =>
  [kinds[Math.floor(i / 10) % 10], things[i % 10], ...(i < 100 ? [] : [Math.floor(i / 100)])].join("_");

/** A schema with that many streams, connectors, and connections per connector. */
function grant(streams: number, connectors: number, connections: number): CompactSchema {
  const rows = makeNumbered(connectors, "connector_").map((key, n) => ({
    object: "connector" as const,
    connector_key: key,
    connector_id: key,
    source: { kind: "connector" as const, id: key },
    display_name: `The ${key}`,
    stream_count: Math.ceil((streams - n) / connectors),
    granted_connections: makeNumbered(connections, `${key}_of_`).map((connection_id) => ({
      connection_id,
      display_name: `Label of ${connection_id}`,
    })),
    streams: Array.from({ length: Math.ceil((streams - n) / connectors) }, (_, i) => ({
      name: makeName(i * connectors + n),
      field_capabilities: {},
    })),
  }));
  return {
    object: "schema",
    bearer: { token_kind: "mcp_package" },
    detail: "compact",
    connector_count: connectors,
    stream_count: streams,
    connectors: rows,
  };
}

/** The same with long names, many of them with a common prefix. */
const withLongNames = (schema: CompactSchema): CompactSchema => ({
  ...schema,
  connectors: schema.connectors.map((connector) => ({
    ...connector,
    streams: connector.streams.map((stream, i) => ({
      ...stream,
      name: `${connector.connector_key}_takeout_of_the_household_${things[i % 10]}.${kinds[i % 7]}_${2000 + i}`,
    })),
  })),
});

/** Every name that an index expands to. */
function listNamesInText(text: string): Set<string> {
  const listed = text
    .split("\n")
    .filter((line) => /^connector_\d+[,: ]/.test(line))
    .flatMap((line) => line.slice(line.indexOf(": ") + 2).match(/[^,{ ]+\{[^}]*\}|[^, ]+/g) ?? []);
  return new Set(
    listed.flatMap((word) => {
      const [, prefix, names] = /^(.*)\{(.*)\}$/.exec(word) ?? [];
      return names === undefined ? [word] : names.split(", ").map((name) => `${prefix}${name}`);
    }),
  );
}

interface Listed {
  readonly streams?: string[];
  readonly streams_by_prefix?: { readonly [prefix: string]: string[] };
}
const listAllNames = (structured: object): string[] =>
  (structured as { data: { connectors: Listed[] } }).data.connectors.flatMap(({ streams, streams_by_prefix = {} }) => [
    ...(streams ?? []),
    ...Object.entries(streams_by_prefix).flatMap(([prefix, names]) => names.map((name) => prefix + name)),
  ]);

const listNamesInObject = (schema: CompactSchema): string[] =>
  schema.connectors.flatMap(({ streams }) => streams.map(({ name }) => name));

describe("the index of a large grant", () => {
  it.each([
    [580, 1, 1],
    [580, 29, 10],
    [580, 44, 1],
    [580, 2, 40],
  ])("[SCH-10] of %i streams, %i connectors, %i connections each names every stream in its first result", (...size) => {
    const schema = grant(...size);
    const { text, structured } = formatSchemaIndex(schema, undefined);
    const words = new Set(text.split(/[ ,\n]+/));
    const json = JSON.stringify(structured);
    for (const name of listNamesInObject(schema))
      expect([name, words.has(name), json.includes(`"${name}"`)]).toEqual([name, true, true]);
    expect(fitsTextAndObject({ text, structured })).toBe(true);
    expect(countChars({ text, structured })).toBeLessThan(52_000);
    expect(text.slice(0, 1500)).toMatch(
      /^Readable: 580 streams of .*; all names are below\n.*\n.*\n-> schema \{"cursor":"0"\}\n/,
    );
  });

  it.each([
    [580, 1, 1],
    [580, 20, 10],
    [551, 8, 1],
  ])("[SCH-14] of %i long names, %i connectors, groups those that begin alike and names every one", (...size) => {
    const schema = withLongNames(grant(...size));
    const { text, structured } = formatSchemaIndex(schema, undefined);
    expect(fitsTextAndObject({ text, structured })).toBe(true);
    expect([...listNamesInText(text)].sort()).toEqual(listNamesInObject(schema).sort());
    expect(listAllNames(structured).sort()).toEqual(listNamesInObject(schema).sort());
    expect(structured).not.toHaveProperty("next");
    expect(text).toMatch(/^Names that begin alike are grouped: (\S+[_.])\{(\S+), (\S+)\} is \1\2 and \1\3\.$/m);
  });

  it("[SCH-14] never groups a name that could be read as the notation", () => {
    const schema = withLongNames(grant(580, 1, 1));
    const [connector] = schema.connectors;
    connector!.streams.push({ name: "connector_0_household_{odd, name}", field_capabilities: {} });
    const { text, structured } = formatSchemaIndex(schema, undefined);
    expect(text).toContain('"connector_0_household_{odd, name}"');
    expect(listAllNames(structured)).toContain("connector_0_household_{odd, name}");
  });

  it.each(["580", "9999", "names:580"])("[SCH-13] refuses cursor %s, which is past the end", (cursor) => {
    expect(() => formatSchemaIndex(grant(580, 2, 1), undefined, cursor)).toThrow(
      "this cursor is past the end: there are 580 streams; copy the cursor from a -> line, or call schema without one",
    );
  });

  it("[SCH-10] [HND-1] goes through the streams in pages, each with its call, and its headings count the whole", () => {
    const schema = grant(580, 2, 10);
    const called: unknown[] = [];
    for (let cursor: string | undefined = "0"; cursor !== undefined; ) {
      const page: { text: string; structured: { next?: { arguments: { cursor: string } } } } = formatSchemaIndex(
        schema,
        undefined,
        cursor,
      ) as never;
      expect(countChars(page as never)).toBeLessThanOrEqual(8000);
      expect(page.text).toMatch(/^Readable: 580 streams of 2 connectors; \d+ to \d+ on this page/);
      expect(page.text).toMatch(/^connector_\d "The connector_\d", connections .*, and 2 more, 290 streams: /m);
      called.push(...[...page.text.matchAll(/^-> schema \{"stream":"(\w+)"\}$/gm)].map(([, name]) => name));
      cursor = page.structured.next?.arguments.cursor;
    }
    expect(called).toEqual(listNamesInObject(schema));
  });

  it("[SCH-10] of more names than one result holds comes in pages of names", () => {
    const schema = grant(4000, 3, 1);
    const seen: string[] = [];
    for (let cursor: string | undefined; ; ) {
      const page = formatSchemaIndex(schema, undefined, cursor);
      expect(fitsTextAndObject(page)).toBe(true);
      const { data, next } = page.structured as never as {
        data: { complete: boolean };
        next?: { arguments: { cursor: string } };
      };
      seen.push(...listAllNames(page.structured));
      expect(data.complete).toBe(next === undefined);
      if (next === undefined) break;
      cursor = next.arguments.cursor;
    }
    expect(seen.sort()).toEqual(listNamesInObject(schema).sort());
  });
});
