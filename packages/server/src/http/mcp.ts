import { PdppError } from "@pdpp/contract/errors";
import { type Input, mapReads, type OperationName, type ReadApi } from "@pdpp/contract/operations";
import type { ToolText } from "@pdpp/mcp/tool-text";
import { getOrigin } from "./hosts.ts";
import { mcpPath, metadataPath } from "./metadata.ts";
import { type Call, type RequestedOperation, startCall } from "./request/call.ts";
import type { Pipeline, PipelineOptions } from "./request/pipeline.ts";
import { EncodedAnswer } from "./threads/reading-threads.ts";

let adapter: Promise<typeof import("@pdpp/mcp/hosted")> | undefined;

/** The library takes some 10 MB, so it is loaded for the first client that uses it. */
const loadAdapter = () => (adapter ??= import("@pdpp/mcp/hosted"));

/** The MCP endpoint: the pipeline authenticates and logs, the adapter answers over a reader in this process. */
export function createMcpEndpoint(
  pipeline: Pipeline,
  options: PipelineOptions,
): (request: Request, requestId: string) => Promise<Response> {
  return async (request, requestId) => {
    const metadata = `${metadataPath}${mcpPath}`;
    const surface = { metadata, operation: "mcp", toRefusal: (error: unknown) => signInAgain(error, request) };
    return pipeline.handle(request, requestId, surface, async (session) => {
      if (session.scope.tokenKind === "owner") {
        throw new PdppError(
          "permission_error",
          "an owner token is not accepted here; give the agent a grant with pdpp grant create",
        );
      }
      const openReader = () => {
        const call = startCall(session);
        return { api: createCallReader(call), onSent: (bytes: number) => call.finish(200, bytes) };
      };
      const onBug = (error: unknown) => options.onBug(error, requestId);
      const { answerMcp } = await loadAdapter();
      return answerMcp(request, {
        openReader,
        token: session.token,
        requestId,
        origin: getOrigin(request, options),
        onBug,
      });
    });
  };
}

export const createToolPreview =
  (onBug: (error: unknown) => void) =>
  async (api: ReadApi, tool: string, args: Record<string, unknown>, origin: string): Promise<ToolText> => {
    const { runTool } = await import("@pdpp/mcp/tool-text");
    return runTool(api, origin, tool, args, onBug);
  };

const endedGrantCodes: ReadonlySet<string> = new Set(["grant_revoked", "package_revoked", "grant_expired"]);
const openingMethods: ReadonlySet<unknown> = new Set(["initialize", "server/discover"]);

/** A call under an ended grant gets that error. A client that is only connecting is sent to sign in, where it can ask for a new grant. */
async function signInAgain(error: unknown, request: Request): Promise<unknown> {
  if (!(error instanceof PdppError) || !endedGrantCodes.has(error.code)) return error;
  const isConnecting = request.method !== "POST" || openingMethods.has(await readMethod(request));
  return isConnecting ? new PdppError("authentication_error", error.message, error.details) : error;
}

async function readMethod(request: Request): Promise<unknown> {
  const message: unknown = await request.json().catch(() => undefined);
  return typeof message === "object" && message !== null && "method" in message ? message.method : undefined;
}

export function createCallReader(call: Call): ReadApi {
  return mapReads(
    async (name, input) => {
      const answer = await call.read(toRequestedOperation(name, input));
      return answer instanceof EncodedAnswer ? answer.decode() : answer;
    },
    {
      readBlob: (input, range) =>
        call.run(toRequestedOperation("readBlob", input), ({ reader }, checked) => reader.readBlob(checked, range)),
      async *export(input) {
        yield* await call.run(toRequestedOperation("export", input), async ({ reader }, checked) =>
          reader.export(checked),
        );
      },
    },
  );
}

function toRequestedOperation<N extends OperationName>(name: N, input: Input<N>): RequestedOperation<N> {
  const given = new Map(Object.entries(input).filter(([, value]) => value !== undefined));
  const stream = given.get("stream");
  return { name, stream: typeof stream === "string" ? stream : undefined, values: () => given };
}
