import { DatabaseSync } from "node:sqlite";
import type { JsonObject } from "@pdpp/contract/declaration";
import { parseManifest } from "@pdpp/contract/manifest";
import { demoVault, readRecords } from "#demo/demo-vault";
import { createPlainIndex } from "../../retrieval/plain-fts5.ts";

/** Two servers as people write them in an afternoon, over the same records: one returns whole records, one runs SQL. */
export interface NaiveServer {
  readonly name: string;
  /** The list of tools as a model is shown it. */
  readonly tools: string;
  call(tool: string, args: JsonObject): string;
  close(): void;
}

export const dumpName = "dump the record";
export const sqlName = "SQL over the file";

export interface DemoRecordRow {
  readonly id: string;
  readonly connection: string;
  readonly connector: string;
  readonly stream: string;
  readonly data: JsonObject;
}

export const listDemoRecords = (): DemoRecordRow[] =>
  demoVault.connections.flatMap(({ connectorKey, connectionId, streams }) =>
    streams.flatMap((stream) =>
      [...readRecords(connectionId, stream)].map(({ key, data }) => ({
        id: `${connectionId}/${stream}:${Array.isArray(key) ? JSON.stringify(key) : key}`,
        connection: connectionId,
        connector: connectorKey,
        stream,
        data,
      })),
    ),
  );

const describeTool = (name: string, description: string, properties: { readonly [name: string]: string }) => ({
  name,
  description,
  inputSchema: {
    type: "object",
    properties: Object.fromEntries(
      Object.entries(properties).map(([key, type]) => [key, { type, description: key.replaceAll("_", " ") }]),
    ),
  },
});

function requireRecord(byId: ReadonlyMap<string, DemoRecordRow>, id: string): DemoRecordRow {
  const record = byId.get(id);
  if (record === undefined) throw new Error(`the index has an unknown record: ${id}`);
  return record;
}

/** "Dump the record": full-text search and lists that return every record whole, one per line. */
export function createDumpServer(records: readonly DemoRecordRow[]): NaiveServer {
  const byId = new Map(records.map((record) => [record.id, record]));
  const index = createPlainIndex(records.map(({ id, data }) => ({ id, text: JSON.stringify(data) })));
  const format = (rows: readonly DemoRecordRow[]): string =>
    rows.map(({ id, data }) => JSON.stringify({ id, ...data })).join("\n");
  return {
    name: dumpName,
    tools: JSON.stringify([
      describeTool("list_streams", "List the streams", {}),
      describeTool("search", "Search all records", { query: "string", limit: "number", offset: "number" }),
      describeTool("list", "List records of a stream", {
        source: "string",
        stream: "string",
        limit: "number",
        offset: "number",
      }),
    ]),
    call(tool, { query, source, stream, limit, offset = 0 }) {
      const [from, to] = [Number(offset), Number(offset) + Number(limit)];
      if (tool === "list_streams")
        return [...new Set(records.map((record) => `${record.connection} ${record.stream}`))].join("\n");
      if (tool === "search")
        return format(
          index
            .find(String(query), to)
            .slice(from)
            .map((id) => requireRecord(byId, id)),
        );
      const rows = records.filter((record) => record.connection === source && record.stream === stream);
      return format(rows.slice(from, to));
    },
    close: () => index.close(),
  };
}

interface TextTable {
  readonly name: string;
  /** The columns that say what a row is about. */
  readonly columns: readonly string[];
}

/** "SQL over the file": a table for each kind of record, and a tool that runs statements. */
export function createSqlServer(records: readonly DemoRecordRow[]): NaiveServer & { readonly textTables: TextTable[] } {
  const db = new DatabaseSync(":memory:");
  const tables = new Map<string, DemoRecordRow[]>();
  for (const record of records) {
    const name = `${record.connector}_${record.stream}`;
    tables.set(name, [...(tables.get(name) ?? []), record]);
  }
  for (const [name, rows] of tables) createTable(db, name, rows);
  const runSql = (sql: string): string =>
    db
      .prepare(sql)
      .all()
      .map((row) => JSON.stringify(row))
      .join("\n");
  return {
    name: sqlName,
    tools: JSON.stringify([
      describeTool("list_tables", "List the tables", {}),
      describeTool("describe_table", "Show how a table was created", { table: "string" }),
      describeTool("query", "Run a SELECT statement", { sql: "string" }),
    ]),
    textTables: listTextTables(),
    call(tool, { table, sql }) {
      if (tool === "list_tables") return runSql("SELECT name FROM sqlite_master WHERE type = 'table'");
      if (tool === "describe_table")
        return String(db.prepare("SELECT sql FROM sqlite_master WHERE name = ?").get(String(table))?.sql);
      return runSql(String(sql));
    },
    close: () => db.close(),
  };
}

function createTable(db: DatabaseSync, name: string, rows: readonly DemoRecordRow[]): void {
  const columns = [...new Set(rows.flatMap(({ data }) => Object.keys(data)))];
  const quoted = columns.map((column) => `"${column}"`);
  db.exec(`CREATE TABLE ${name} (source TEXT, ${quoted.join(", ")})`);
  const insert = db.prepare(`INSERT INTO ${name} VALUES (?${", ?".repeat(columns.length)})`);
  for (const { connection, data } of rows) insert.run(connection, ...columns.map((column) => toCell(data[column])));
}

function toCell(value: unknown): string | number | null {
  if (value === undefined || value === null) return null;
  if (typeof value === "string" || typeof value === "number") return value;
  return typeof value === "boolean" ? Number(value) : JSON.stringify(value);
}

const shownRoles = ["primary-title", "actor", "event-time", "amount", "body"];

/** The tables with texts, in the order in which a person would try them, with the columns worth reading. */
function listTextTables(): TextTable[] {
  const order = ["mail", "notes", "chat", "calendar", "icalendar", "purchases", "assistant", "bank"];
  return demoVault.manifests
    .map(parseManifest)
    .filter(({ connectorKey }) => order.includes(connectorKey))
    .sort((a, b) => order.indexOf(a.connectorKey) - order.indexOf(b.connectorKey))
    .flatMap(({ connectorKey, streams }) =>
      streams
        .map(({ name, fields }) => ({
          name: `${connectorKey}_${name}`,
          columns: fields
            .filter(({ role }) => role !== undefined && shownRoles.includes(role))
            .map((field) => field.name),
        }))
        .filter(({ columns }) => columns.length > 2),
    );
}
