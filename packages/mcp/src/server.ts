import { createHmac, randomBytes } from "node:crypto";
import type { CallToolResult, Server } from "@modelcontextprotocol/server";
import { PdppError } from "@pdpp/contract/errors";
import { iconPath } from "@pdpp/contract/icon";
import type { ReadApi } from "@pdpp/contract/operations";
import { buildInputSchema, parseArguments } from "./arguments.ts";
import { CheckedServer } from "./checked-server.ts";
import { instructions } from "./instructions.ts";
import { formatProblem, toProblem } from "./problem.ts";
import { readResource, resourceTemplates } from "./resources.ts";
import type { Answer, Tool, ToolContext } from "./tool.ts";
import { aggregate } from "./tools/aggregate.ts";
import { fetch } from "./tools/fetch.ts";
import { queryRecords } from "./tools/query-records.ts";
import { readRecordField } from "./tools/read-record-field.ts";
import { schema } from "./tools/schema.ts";
import { search } from "./tools/search.ts";
import { version } from "./version.ts";

/** In the order in which they are listed. */
export const tools: readonly Tool[] = [schema, queryRecords, aggregate, search, fetch, readRecordField];

/** A reader for one call, bound to the grant. */
export interface CallReader {
  readonly api: ReadApi;
  /** Called once when the call has ended, with its result unless it failed. */
  onEnd?(result: object | undefined): void;
}

export interface McpServerParts {
  /** Opens a reader whose reads are logged under that request id. */
  readonly openReader: (requestId: string) => CallReader;
  /** The token, known only to the client and the vault. The markers around record text are derived from it. */
  readonly secret: string;
  /** The vault's URL, which also serves the icon. */
  readonly origin: string;
  readonly newRequestId?: () => string;
  readonly onBug?: (error: unknown) => void;
}

/** Creates the server for both transports and both protocol generations. */
export function createMcpServer(parts: McpServerParts): Server {
  const server = new CheckedServer(
    { name: "pdpp", title: "pdpp", version },
    {
      capabilities: { tools: {}, resources: {} },
      instructions,
      icons: [{ src: new URL(iconPath, parts.origin).href, mimeType: "image/svg+xml", sizes: ["any"] }],
      cacheHints: {
        "tools/list": { ttlMs: listTtlMs, cacheScope: "public" },
        "resources/templates/list": { ttlMs: listTtlMs, cacheScope: "public" },
        "resources/list": { ttlMs: listTtlMs, cacheScope: "public" },
        "server/discover": { ttlMs: listTtlMs, cacheScope: "public" },
      },
    },
  );
  const newRequestId = parts.newRequestId ?? (() => `req_${randomBytes(12).toString("base64url")}`);
  const makeNonce: ToolContext["nonce"] = (...place) =>
    createHmac("sha256", parts.secret)
      .update(JSON.stringify(["text boundary", ...place]))
      .digest("hex")
      .slice(0, 12);
  /** Runs one call with its own reader, and reports the result to it. */
  const runCall = async <T extends object>(work: (context: ToolContext, requestId: string) => Promise<T>) => {
    const requestId = newRequestId();
    const reader = parts.openReader(requestId);
    let result: T | undefined;
    try {
      result = await work({ api: reader.api, origin: parts.origin, nonce: makeNonce }, requestId);
      return result;
    } finally {
      reader.onEnd?.(result);
    }
  };
  const onBug = parts.onBug ?? logBug;
  server.setRequestHandler("tools/list", () => ({ tools: listTools() }));
  server.setRequestHandler("tools/call", ({ params }) =>
    runCall((context, requestId) => callTool(context, requestId, params.name, params.arguments ?? {}, onBug)),
  );
  server.setRequestHandler("resources/list", () => ({ resources: [] }));
  server.setRequestHandler("resources/templates/list", () => ({ resourceTemplates }));
  server.setRequestHandler("resources/read", ({ params }) =>
    runCall((context, requestId) =>
      readResource(context, params.uri, (name, args) => callTool(context, requestId, name, args, onBug)),
    ),
  );
  return server;
}

/** Lists never change while a server runs, so clients may cache them. */
const listTtlMs = 3_600_000;

const logBug = (error: unknown): void => console.error("pdpp mcp:", error);

const describeTool = (tool: Tool) => ({
  name: tool.name,
  title: tool.title,
  description: tool.description,
  inputSchema: buildInputSchema(tool),
  outputSchema: {
    type: "object" as const,
    properties: Object.fromEntries(
      Object.entries({ ...tool.output, error: "object" }).map(([key, type]) => [key, { type }]),
    ),
  },
  annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
});

let list: ReturnType<typeof describeTool>[] | undefined;

/** Built on first use; the same for every client. */
const listTools = () => {
  list ??= tools.map(describeTool);
  return list;
};

export async function callTool(
  context: ToolContext,
  requestId: string,
  name: string,
  args: Record<string, unknown>,
  onBug: (error: unknown) => void,
): Promise<CallToolResult> {
  const tool = tools.find((candidate) => candidate.name === name);
  try {
    if (tool === undefined) throw createUnknownToolError(name);
    return toToolResult(await tool.call(context, parseArguments(tool, args)), requestId, false);
  } catch (error) {
    const problem: PdppError = toProblem(error, onBug);
    return toToolResult(formatProblem(problem, name, args, context.origin), requestId, true);
  }
}

const createUnknownToolError = (name: string): PdppError =>
  new PdppError(
    "invalid_argument",
    `there is no tool ${JSON.stringify(name.slice(0, 60))}; there are: ${tools.map((tool) => tool.name).join(", ")}`,
  );

const toToolResult = ({ structured, text, meta }: Answer, requestId: string, isError: boolean): CallToolResult => ({
  content: [{ type: "text", text }],
  structuredContent: structured,
  ...(isError ? { isError: true } : {}),
  _meta: { "pdpp/request_id": requestId, ...meta },
});
