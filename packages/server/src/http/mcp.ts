import { PdppError } from "@pdpp/contract/errors";
import type { Input, OperationName, ReadApi } from "@pdpp/contract/operations";
import { answerMcp } from "@pdpp/mcp/hosted";
import { checkHost, isTrustedHost } from "./hosts.ts";
import { mcpPath, metadataPath } from "./metadata.ts";
import type { Exchange, Pipeline, PipelineOptions } from "./pipeline.ts";

/** The MCP endpoint: the pipeline settles who asks and what is noted; the rest is the adapter, over a reader in process. */
export function hostedMcp(
  pipeline: Pipeline,
  options: PipelineOptions,
): (request: Request, requestId: string) => Promise<Response> {
  return async (request, requestId) => {
    checkHost(request, options);
    checkOrigin(request, options);
    const session = await pipeline.admit(request, requestId, `${metadataPath}${mcpPath}`);
    try {
      if (session.scope.tokenKind === "owner") {
        throw new PdppError(
          "permission_error",
          "an owner token is not accepted here; give the agent a grant with pdpp grant create",
        );
      }
      const open = () => {
        const exchange = session.open();
        return { api: readerIn(exchange), sent: (bytes: number) => exchange.sent(200, bytes) };
      };
      const onBug = (error: unknown) => options.onBug(error, requestId);
      return await answerMcp(request, { open, token: session.token, requestId, onBug });
    } finally {
      session.end();
    }
  };
}

/** A page of another site must not talk to a vault on this machine through its visitor's browser. */
function checkOrigin(request: Request, options: PipelineOptions): void {
  const origin = request.headers.get("origin");
  if (origin === null) return;
  const trusted = URL.canParse(origin) && isTrustedHost(new Request(origin), options);
  if (!trusted)
    throw new PdppError("permission_error", "Origin not allowed; start the server with --allowed-host for that host");
}

/** A reader in process: every read goes through the pipeline, as it does over REST. */
function readerIn(exchange: Exchange): ReadApi {
  const read = <N extends OperationName, T>(
    name: N,
    input: Input<N>,
    work: (reader: ReadApi, input: Input<N>) => Promise<T>,
  ): Promise<T> => {
    const given = new Map(Object.entries(input).filter(([, value]) => value !== undefined));
    const stream = given.get("stream");
    const asked = { name, stream: typeof stream === "string" ? stream : undefined, values: () => given };
    return exchange.run(asked, ({ reader }, checked) => work(reader, checked));
  };
  return {
    schema: (input) => read("schema", input, (reader, checked) => reader.schema(checked)),
    connectors: (input) => read("connectors", input, (reader, checked) => reader.connectors(checked)),
    streams: (input) => read("streams", input, (reader, checked) => reader.streams(checked)),
    stream: (input) => read("stream", input, (reader, checked) => reader.stream(checked)),
    queryRecords: (input) => read("queryRecords", input, (reader, checked) => reader.queryRecords(checked)),
    fetch: (input) => read("fetch", input, (reader, checked) => reader.fetch(checked)),
    aggregate: (input) => read("aggregate", input, (reader, checked) => reader.aggregate(checked)),
    search: (input) => read("search", input, (reader, checked) => reader.search(checked)),
    readField: (input) => read("readField", input, (reader, checked) => reader.readField(checked)),
    readBlob: (input, range) => read("readBlob", input, (reader, checked) => reader.readBlob(checked, range)),
    async *export(input) {
      yield* await read("export", input, async (reader, checked) => reader.export(checked));
    },
  };
}
