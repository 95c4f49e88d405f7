import { type BenchVault, buildRecordId, connectionIds, longRecordIds, pickNumbers, streamName } from "./vault.ts";

/** The reads that are measured, each with the SQL that someone would write by hand for the same rows. */

export interface FloorRoute {
  readonly path: string;
  readonly on: "vault" | "texts";
  readonly sql: string;
  readonly values: readonly (string | number)[];
  /** Our answer, which the floor sends too. */
  readonly body: string;
}

export interface FloorSetup {
  readonly vault: { readonly file: string } | { readonly databaseUrl: string };
  readonly textsFile: string;
  readonly routes: readonly FloorRoute[];
}

type Request = Omit<FloorRoute, "body">;

export interface Read {
  readonly name: string;
  /** Sent in turn. */
  readonly requests: readonly Request[];
  /** The limit of ours / floor at a million records. */
  readonly atMost?: number;
}

const variants = 100;
const one = "owner_no = 1 AND connection_no = 1";
const stream = `/v1/streams/${streamName}`;
const inFirst = `connection_id=${connectionIds[0]}`;
const tenYears = 10 * 365 * 86_400_000;
const firstSent = Date.UTC(2015, 0, 1);

/** `getNextCursor` asks the server under test for the cursor after a page. */
export async function listReads(
  { table, columns }: BenchVault,
  engine: "sqlite" | "postgres",
  count: number,
  getNextCursor: (path: string) => Promise<string>,
): Promise<Read[]> {
  const mark = (n: number): string => (engine === "sqlite" ? `?${n}` : `$${n}`);
  const { at = "", folder = "", sender = "" } = columns;
  const row = `key, version, revision, emitted_at, ${at} AS at, data`;
  const page = (limit: number, before = "") => {
    const each = connectionIds.map(
      (
        _,
        i,
      ) => `SELECT * FROM (SELECT ${row}, ${i} AS place FROM ${table} WHERE owner_no = 1 AND connection_no = ${i + 1}${before}
        ORDER BY ${at} DESC, key DESC LIMIT ${limit + 1}) AS c${i}`,
    );
    return `${each.join(" UNION ALL ")} ORDER BY at DESC, key DESC, place LIMIT ${limit + 1}`;
  };
  const list = (limit: number): Request => ({
    path: `${stream}/records?limit=${limit}`,
    on: "vault",
    sql: page(limit),
    values: [],
  });
  const groups = (field: string, column: string): Request => {
    const each = connectionIds.map(
      (
        _,
        i,
      ) => `SELECT * FROM (SELECT ${column} AS value, count(*) AS n FROM ${table} WHERE owner_no = 1 AND connection_no = ${i + 1}
        GROUP BY ${column}) AS c${i}`,
    );
    return {
      path: `${stream}/aggregate?metric=count&group_by=${field}`,
      on: "vault",
      sql: `SELECT value, sum(n) AS n FROM (${each.join(" UNION ALL ")}) AS g GROUP BY value ORDER BY 2 DESC, 1 LIMIT 11`,
      values: [],
    };
  };
  const search = (name: string, words: string, atMost?: number): Read => {
    const sql = "SELECT rowid FROM raw WHERE raw MATCH ?1 ORDER BY rank LIMIT 10";
    const path = `/v1/search?limit=10&q=${encodeURIComponent(words)}`;
    return {
      name,
      requests: [{ path, on: "texts", sql, values: [words] }],
      ...(atMost === undefined ? {} : { atMost }),
    };
  };
  const middle = firstSent + tenYears / 2;
  const deepFilter = `filter[at][lt]=${encodeURIComponent(new Date(middle).toISOString())}`;
  const deepPath = `${stream}/records?limit=25&${deepFilter}`;
  const deepCursor = await getNextCursor(deepPath);
  return [
    {
      name: "one record",
      atMost: 3,
      requests: pickNumbers(count, variants).map((n) => ({
        path: `${stream}/records/${buildRecordId(n)}?${inFirst}`,
        on: "vault",
        sql: `SELECT ${row} FROM ${table} WHERE ${one} AND key = ${mark(1)}`,
        values: [buildRecordId(n)],
      })),
    },
    {
      name: "a window of a long text",
      atMost: 4,
      requests: longRecordIds.map((id) => ({
        path: `${stream}/records/${id}/field-window?field=text&offset_chars=60000&limit_chars=4096&${inFirst}`,
        on: "vault",
        sql: `SELECT t.chars FROM ${table} AS r JOIN long_text AS t ON t.owner_no = 1 AND t.connection_no = 1 AND t.version = r.version
          AND t.text_no = 0 AND t.n BETWEEN 7 AND 7 WHERE r.${one.replace(" AND ", " AND r.")} AND r.key = ${mark(1)}`,
        values: [id],
      })),
    },
    { name: "a list of 25", atMost: 2, requests: [list(25)] },
    { name: "a list of 100", atMost: 2, requests: [list(100)] },
    {
      name: "a list of 25, deep",
      requests: [
        {
          path: `${deepPath}&cursor=${encodeURIComponent(deepCursor)}`,
          on: "vault",
          sql: page(25, ` AND ${at} < ${mark(1)}`),
          values: [middle - (25 * tenYears) / count],
        },
      ],
    },
    {
      name: "a count, stored",
      atMost: 4.5,
      requests: [
        {
          path: `${stream}/aggregate?metric=count`,
          on: "vault",
          sql: "SELECT sum(record_count) AS n FROM stream_stats WHERE owner_no = 1 AND stream_no = 1",
          values: [],
        },
      ],
    },
    {
      name: "a count, filtered",
      requests: Array.from({ length: 12 }, (_, i) => ({
        path: `${stream}/aggregate?metric=count&filter[folder]=folder${i}`,
        on: "vault",
        sql: `SELECT count(*) AS n FROM ${table} WHERE owner_no = 1 AND connection_no IN (1, 2, 3) AND ${folder} = ${mark(1)}`,
        values: [`folder${i}`],
      })),
    },
    { name: "group_by, 12 values", atMost: 1.2, requests: [groups("folder", folder)] },
    { name: "group_by, 400 values", atMost: 1.2, requests: [groups("sender", sender)] },
    search("search: a rare word", "rare", 2.2),
    search("search: a prefix", "rar*", 2.2),
    search("search: a medium word", "medium"),
    search("search: a word in a third of all records", "common"),
    search("search: a phrase of common words", '"wr ws"', 2),
    search("search: two words", "often seldom", 2),
  ];
}
