import { DatabaseSync, type SQLInputValue } from "node:sqlite";
import { serve } from "@hono/node-server";
import { Hono } from "hono";
import pg from "pg";
import type { FloorRoute, FloorSetup } from "./reads.ts";

/**
 * The floor: a bare hono route that runs the same SQL by hand and sends the bytes of our answer. It checks no token and no grant, and
 * writes no log. Reads its setup from stdin.
 */

async function readSetup(): Promise<FloorSetup> {
  const chunks: Buffer[] = [];
  for await (const chunk of process.stdin) chunks.push(chunk as Buffer);
  return JSON.parse(Buffer.concat(chunks).toString()) as FloorSetup;
}

type Run = (route: FloorRoute) => Promise<unknown>;

function openSqliteFile(file: string): Run {
  const db = new DatabaseSync(file, { readOnly: true });
  db.exec("PRAGMA cache_size = -8000; PRAGMA temp_store = MEMORY");
  const statements = new Map<string, ReturnType<DatabaseSync["prepare"]>>();
  return async ({ sql, values }) => {
    let statement = statements.get(sql);
    if (statement === undefined) {
      statement = db.prepare(sql);
      statements.set(sql, statement);
    }
    return statement.all(...(values as SQLInputValue[]));
  };
}

async function openPostgres(url: string): Promise<Run> {
  const pool = new pg.Pool({ connectionString: url });
  return ({ sql, values }) => pool.query({ name: sql.slice(0, 60), text: sql, values: [...values] });
}

const { vault, textsFile, routes } = await readSetup();
const runOnVault = "databaseUrl" in vault ? await openPostgres(vault.databaseUrl) : openSqliteFile(vault.file);
const runOnTexts = openSqliteFile(textsFile);
const byPath = new Map(routes.map((route) => [route.path, { route, body: Buffer.from(route.body) }]));

const app = new Hono();
app.get("/v1/*", async (c) => {
  const url = c.req.url;
  const found = byPath.get(url.slice(url.indexOf("/", 8)));
  if (found === undefined) return c.text("no such path", 404);
  const { route, body } = found;
  await (route.on === "texts" ? runOnTexts : runOnVault)(route);
  return c.body(body, 200, { "content-type": "application/json; charset=utf-8" });
});
serve({ fetch: app.fetch, port: 0, hostname: "127.0.0.1" }, ({ port }) => {
  process.stdout.write(`${JSON.stringify({ url: `http://127.0.0.1:${port}` })}\n`);
});
