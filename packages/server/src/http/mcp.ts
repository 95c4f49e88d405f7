import { PdppError } from "@pdpp/contract/errors";
import { type Input, type OperationName, operations, type ReadApi } from "@pdpp/contract/operations";
import { answerMcp } from "@pdpp/mcp/hosted";
import { authenticate } from "../auth/authenticate.ts";
import { tokenHash } from "../auth/tokens.ts";
import { createReader } from "../read/reader.ts";
import type { Scope } from "../read/scope.ts";
import { accessNote } from "./access-note.ts";
import { bearerOf, challenged } from "./bearer.ts";
import { checkClientQueries } from "./client-queries.ts";
import { isTrustedHost } from "./hosts.ts";
import { requestLimiter } from "./limiter.ts";
import { mcpPath, metadataPath } from "./metadata.ts";
import { checkedInput } from "./request-input.ts";
import type { V1Options } from "./v1.ts";

const requestsPerToken = 64;

/** The MCP endpoint: who asks is settled here, for every request anew; the rest is the adapter, over a reader in process. */
export function hostedMcp(options: V1Options): (request: Request, requestId: string) => Promise<Response> {
  const begin = requestLimiter(requestsPerToken);
  return async (request, requestId) => {
    if (!isTrustedHost(request, options)) {
      throw new PdppError(
        "misdirected_request",
        "this server does not go by that host name; start it with --public-url or --allowed-host",
      );
    }
    checkOrigin(request, options);
    const metadata = `${metadataPath}${mcpPath}`;
    const token = bearerOf(request, options, metadata);
    const end = begin(tokenHash(token));
    try {
      const scope = await authenticate(options.store, token, options.now()).catch((error) => {
        throw challenged(error, request, options, metadata);
      });
      if (scope.tokenKind === "owner") {
        throw new PdppError(
          "permission_error",
          "an owner token is not taken here: an agent works with a grant; give it one with pdpp grant create",
        );
      }
      const api = authorisedReader(options, scope, requestId);
      return await answerMcp(request, { api, token, requestId, onBug: (error) => options.onBug(error, requestId) });
    } finally {
      end();
    }
  };
}

/** A page of another site must not talk to a vault on this machine through its visitor's browser. */
function checkOrigin(request: Request, options: V1Options): void {
  const origin = request.headers.get("origin");
  if (origin === null) return;
  const trusted = URL.canParse(origin) && isTrustedHost(new Request(origin), options);
  if (!trusted) throw new PdppError("permission_error", "requests from pages of that origin are not taken here");
}

/** A reader in process that checks its input and notes what it lets out, just as REST does. */
function authorisedReader(options: V1Options, scope: Scope, requestId: string): ReadApi {
  const checked = <N extends OperationName>(name: N, input: object): Input<N> => {
    const given = Object.entries(input).filter(([, value]) => value !== undefined);
    const parsed = checkedInput(operations[name], new Map(given));
    checkClientQueries(parsed as object, name, scope, options.clientQueries);
    return parsed as Input<N>;
  };
  const noted = async <N extends keyof ReadApi>(name: N, input: object, range?: string): Promise<unknown> => {
    const { stream } = input as { stream?: string };
    const note = accessNote(options, scope, name, stream, requestId);
    try {
      const reader = createReader({ store: options.store, scope, disclose: note.disclose });
      const found = (await reader[name](checked(name, input) as never, range)) as object;
      note.done(200, "sizeBytes" in found ? Number(found.sizeBytes) : Buffer.byteLength(JSON.stringify(found)));
      return found;
    } catch (error) {
      note.done(error instanceof PdppError ? error.status : 500, 0);
      throw error;
    }
  };
  const names = Object.keys(operations).filter((name) => name !== "export") as (keyof ReadApi)[];
  return Object.fromEntries(
    names.map((name) => [name, (input: object, range?: string) => noted(name, input, range)]),
  ) as unknown as ReadApi;
}
