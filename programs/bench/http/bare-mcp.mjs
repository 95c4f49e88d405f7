// A bare MCP server on HTTP or stdio. Started with a file of what it answers, and with "http" or "stdio".
import { readFileSync } from "node:fs";
import { serve } from "@hono/node-server";
import { createFixedServer } from "../../../packages/mcp/bench/fixed-server.mjs";

const [, , file, transport] = process.argv;
const { answer, serveStdio } = createFixedServer(JSON.parse(readFileSync(file, "utf8")));
if (transport === "stdio") serveStdio();
else {
  serve({ fetch: answer, port: 0, hostname: "127.0.0.1" }, ({ port }) => {
    process.stdout.write(`${JSON.stringify({ url: `http://127.0.0.1:${port}` })}\n`);
  });
}
