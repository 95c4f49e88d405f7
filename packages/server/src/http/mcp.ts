import { PdppError } from "@pdpp/contract/errors";
import type { ReadApi } from "@pdpp/contract/operations";
import { answerMcp } from "@pdpp/mcp/hosted";
import { runTool, type ToolText } from "@pdpp/mcp/tool-text";
import { originOf } from "./hosts.ts";
import { mcpPath, metadataPath } from "./metadata.ts";
import { challenged } from "./request/bearer.ts";
import type { Exchange, Pipeline, PipelineOptions } from "./request/pipeline.ts";
import { readerThrough } from "./threads/reader-through.ts";

/** The MCP endpoint: the pipeline settles who asks and what is noted; the rest is the adapter, over a reader in process. */
export function hostedMcp(
  pipeline: Pipeline,
  options: PipelineOptions,
): (request: Request, requestId: string) => Promise<Response> {
  return async (request, requestId) => {
    const metadata = `${metadataPath}${mcpPath}`;
    const session = await pipeline.admit(request, requestId, metadata, "mcp").catch(async (error: unknown) => {
      throw challenged(await signInAgain(error, request), request, options, metadata);
    });
    try {
      if (session.scope.tokenKind === "owner") {
        throw new PdppError(
          "permission_error",
          "an owner token is not accepted here; give the agent a grant with pdpp grant create",
        );
      }
      const open = () => {
        const exchange = session.open();
        return { api: exchangeReader(exchange), sent: (bytes: number) => exchange.sent(200, bytes) };
      };
      const onBug = (error: unknown) => options.onBug(error, requestId);
      return await answerMcp(request, {
        open,
        token: session.token,
        requestId,
        origin: originOf(request, options),
        onBug,
      });
    } finally {
      session.end();
    }
  };
}

/** For the owner's pages: what a client reads when it calls a tool. */
export const toolTexts =
  (onBug: (error: unknown) => void) =>
  (api: ReadApi, tool: string, args: Record<string, unknown>, origin: string): Promise<ToolText> =>
    runTool(api, origin, tool, args, onBug);

const ends: ReadonlySet<string> = new Set(["grant_revoked", "package_revoked", "grant_expired"]);
const beginnings: ReadonlySet<unknown> = new Set(["initialize", "server/discover"]);

/** A call under a grant that has ended is told so. A client that only begins is sent to sign in, where it can ask for a new one. */
async function signInAgain(error: unknown, request: Request): Promise<unknown> {
  if (!(error instanceof PdppError) || !ends.has(error.code)) return error;
  const begins = request.method !== "POST" || beginnings.has(await methodIn(request));
  return begins ? new PdppError("authentication_error", error.message, error.details) : error;
}

async function methodIn(request: Request): Promise<unknown> {
  const message: unknown = await request.json().catch(() => undefined);
  return typeof message === "object" && message !== null && "method" in message ? message.method : undefined;
}

/** A reader in process: every read goes through the pipeline, as it does over REST. */
export const exchangeReader = (exchange: Exchange): ReadApi =>
  readerThrough((name, input, work) => {
    const given = new Map(Object.entries(input).filter(([, value]) => value !== undefined));
    const stream = given.get("stream");
    return exchange.run(
      { name, stream: typeof stream === "string" ? stream : undefined, values: () => given },
      ({ reader }, checked) => work(reader, checked),
      (answer) => answer.value(),
    );
  });
