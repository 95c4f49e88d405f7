import type { Dice } from "../model/generators/dice.ts";
import { drawCall } from "./arguments.ts";
import { damageText, drawStrangeValue, drawWord, type Words } from "./words.ts";

/** Requests to the hosted endpoint below the tools: invalid messages, other kinds, and almost valid ones. */

export interface Message {
  readonly method: string;
  readonly headers: Record<string, string>;
  readonly body?: string;
}

const methods = [
  "tools/call",
  "tools/list",
  "resources/read",
  "resources/list",
  "resources/templates/list",
  "server/discover",
  "initialize",
  "notifications/initialized",
  "notifications/cancelled",
  "ping",
  "prompts/get",
  "completion/complete",
  "logging/setLevel",
  "__proto__",
  "",
];

const revisions = ["2024-11-05", "2025-06-18", "2025-11-25", "2026-07-28", "1999-01-01", "x"];

export function drawMessage(d: Dice, words: Words): Message {
  const method = d.chance(90) ? "POST" : d.pick(["GET", "DELETE", "PUT", "PATCH"]);
  const headers: Record<string, string> = {
    "content-type": d.chance(92) ? "application/json" : d.pick(["text/plain", "application/json; charset=utf-16", "x"]),
    accept: d.chance(85) ? "application/json, text/event-stream" : d.pick(["*/*", "text/html", "application/json"]),
    ...(d.chance(30) ? { "mcp-protocol-version": d.pick(revisions) } : {}),
    ...(d.chance(10) ? { "mcp-session-id": d.pick(["x", "1".repeat(5000)]) } : {}),
    ...(d.chance(10) ? { "mcp-method": d.pick(methods) || "none" } : {}),
  };
  if (method === "GET") return { method, headers };
  const whole = JSON.stringify(d.chance(90) ? message(d, words) : [message(d, words), message(d, words)]);
  return { method, headers, body: d.chance(85) ? whole : damageText(d, whole).toWellFormed() };
}

function message(d: Dice, words: Words): unknown {
  if (d.chance(4)) return drawStrangeValue(d);
  return {
    ...(d.chance(96) ? { jsonrpc: d.chance(96) ? "2.0" : d.pick<unknown>(["1.0", 2, null]) } : {}),
    ...(d.chance(90)
      ? { id: d.chance(85) ? 1 + d.below(9) : d.pick<unknown>([null, "a", 1.5, {}, "x".repeat(3000)]) }
      : {}),
    ...(d.chance(97) ? { method: d.chance(97) ? d.pick(methods) : drawStrangeValue(d) } : {}),
    ...(d.chance(90) ? { params: d.chance(94) ? params(d, words) : drawStrangeValue(d) } : {}),
  };
}

function params(d: Dice, words: Words): Record<string, unknown> {
  const { tool, arguments: args } = drawCall(d, words);
  const id = drawWord(d, words.ids);
  const uri = `pdpp://record/${encodeURIComponent((typeof id === "string" ? id : JSON.stringify(id)).toWellFormed())}`;
  return {
    ...(d.chance(60) ? { name: tool, arguments: d.chance(95) ? args : drawStrangeValue(d) } : {}),
    ...(d.chance(40) ? { uri: d.chance(80) ? uri : damageText(d, uri) } : {}),
    ...(d.chance(20) ? { cursor: drawWord(d, words.cursors) } : {}),
    ...(d.chance(20)
      ? { protocolVersion: d.pick(revisions), capabilities: {}, clientInfo: { name: "x", version: "1" } }
      : {}),
    ...(d.chance(15)
      ? {
          _meta: d.chance(70)
            ? {
                "io.modelcontextprotocol/protocolVersion": d.pick(revisions),
                "io.modelcontextprotocol/clientInfo": { name: "x", version: "1" },
                "io.modelcontextprotocol/clientCapabilities": {},
              }
            : drawStrangeValue(d),
        }
      : {}),
  };
}
