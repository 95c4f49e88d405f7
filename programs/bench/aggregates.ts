import type { Input, ReadApi } from "@pdpp/contract/operations";
import type { CatalogStream } from "#server/store/catalog/catalog";
import { compareWithRaw, type Figure, measureMedians } from "./measure.ts";
import type { RawReader } from "./raw.ts";
import { connectionIds, start, streamName } from "./records.ts";

const rounds = 9;
const atMost = 1.5;
/** Allowed overhead per call in milliseconds: the round trip to a worker. */
const allowance = 2;
const fields = ["kind", "sender", "is_read", "sent_at", "amount", "conversation_id"];

interface Case {
  readonly what: string;
  readonly input: Omit<Input<"aggregate">, "stream" | "metric"> & { metric?: Input<"aggregate">["metric"] };
  /** The SQL someone would write who has the file and need not care about grants, filters or time zones. */
  readonly sql: string;
  /** For features that the raw engine lacks: we add decimals exactly. */
  readonly unlimited?: true;
}

function listCases({ streamNo, columns }: CatalogStream): Case[] {
  const table = `r_${streamNo}`;
  const getColumn = (field: string) => columns.get(field)!.column;
  const [kind, sender, read, sent, amount, conversation] = fields.map(getColumn);
  const one = "owner_no = 1 AND connection_no = 1";
  const both = "owner_no = 1 AND connection_no IN (1, 2)";
  const connection_id = connectionIds[0];
  const since = Date.UTC(2018, 0, 1);
  const someone = "person7@example.org";
  const someConversation = "conv_5a";
  // SQLite has no named time zones, so raw SQL counts days at a fixed offset from UTC.
  const day = `CAST(floor((${sent} + 3600000) / 86400000) AS INTEGER)`;
  // Limited to the first hundred days, as someone who knows their end would write it; otherwise raw SQL counts every day.
  const early = `${sent} < ${start + 100 * 86_400_000}`;
  const quarter = `CAST(floor(${sent} / 7889400000) AS INTEGER)`;
  return [
    {
      what: "count, exact filter",
      input: { connection_id, filter: { kind: "chat" } },
      sql: `SELECT count(*) AS n FROM ${table} WHERE ${one} AND ${kind} = 'chat'`,
    },
    {
      what: "count, filter and time range",
      input: { connection_id, filter: { kind: "chat", sent_at: { gte: "2018-01-01" } } },
      sql: `SELECT count(*) AS n FROM ${table} WHERE ${one} AND ${kind} = 'chat' AND ${sent} >= ${since}`,
    },
    {
      what: "count, two filters",
      input: { connection_id, filter: { kind: "chat", conversation_id: someConversation } },
      sql: `SELECT count(*) AS n FROM ${table} WHERE ${one} AND ${kind} = 'chat' AND ${conversation} = '${someConversation}'`,
    },
    {
      what: "group_by kind",
      input: { connection_id, group_by: "kind" },
      sql: `SELECT ${kind} AS value, count(*) AS n FROM ${table} WHERE ${one} GROUP BY ${kind} ORDER BY n DESC LIMIT 10`,
    },
    {
      what: "group_by sender, 2 connections",
      input: { group_by: "sender" },
      sql: `SELECT ${sender} AS value, count(*) AS n FROM ${table} WHERE ${both} GROUP BY ${sender} ORDER BY n DESC LIMIT 10`,
    },
    {
      what: "group_by is_read, time range",
      input: { connection_id, group_by: "is_read", filter: { sent_at: { gte: "2018-01-01" } } },
      sql: `SELECT ${read} AS value, count(*) AS n FROM ${table} WHERE ${one} AND ${sent} >= ${since}
        GROUP BY ${read} ORDER BY n DESC LIMIT 10`,
    },
    {
      what: "group_by kind, one sender",
      input: { connection_id, group_by: "kind", filter: { sender: someone } },
      sql: `SELECT ${kind} AS value, count(*) AS n FROM ${table} WHERE ${one} AND ${sender} = '${someone}'
        GROUP BY ${kind} ORDER BY n DESC LIMIT 10`,
    },
    {
      what: "group_by_time day, Europe/Berlin, 100",
      input: { connection_id, group_by_time: "sent_at", granularity: "day", time_zone: "Europe/Berlin", limit: 100 },
      sql: `SELECT ${day} AS value, count(*) AS n FROM ${table} WHERE ${one} AND ${early} GROUP BY 1 ORDER BY 1 LIMIT 100`,
    },
    {
      what: "group_by_time day, 2 connections",
      input: { group_by_time: "sent_at", granularity: "day", time_zone: "Europe/Berlin", limit: 100 },
      sql: `SELECT ${day} AS value, count(*) AS n FROM ${table} WHERE ${both} AND ${early} GROUP BY 1 ORDER BY 1 LIMIT 100`,
    },
    {
      what: "group_by_time quarter, Europe/Berlin, all records",
      input: {
        connection_id,
        group_by_time: "sent_at",
        granularity: "quarter",
        time_zone: "Europe/Berlin",
        limit: 100,
      },
      sql: `SELECT ${quarter} AS value, count(*) AS n FROM ${table} WHERE ${one} GROUP BY 1 ORDER BY 1 LIMIT 100`,
    },
    {
      what: "sum amount",
      input: { connection_id, metric: "sum", field: "amount" },
      sql: `SELECT sum(${amount}) AS n FROM ${table} WHERE ${one}`,
      unlimited: true,
    },
    {
      what: "count_distinct sender",
      input: { connection_id, metric: "count_distinct", field: "sender" },
      sql: `SELECT count(DISTINCT ${sender}) AS n FROM ${table} WHERE ${one}`,
    },
  ];
}

export async function measureAggregates(api: ReadApi, raw: RawReader, stream: CatalogStream): Promise<Figure[]> {
  const figures: Figure[] = [];
  for (const { what, input, sql, unlimited } of listCases(stream)) {
    const runAggregate = () => api.aggregate({ stream: streamName, metric: "count", ...input });
    const [mine, bare] = await measureMedians(rounds, runAggregate, () => raw.all(sql));
    figures.push({ ...compareWithRaw(what, "ms", mine!, bare!, unlimited ? undefined : { atMost }), allowance });
  }
  return figures;
}
