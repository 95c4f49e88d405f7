import {
  type JSONRPCRequest,
  ProtocolError,
  ProtocolErrorCode,
  Server,
  type ServerContext,
} from "@modelcontextprotocol/server";

type Handler = ReturnType<Server["_wrapHandler"]>;

/** Says what is wrong with parameters that do not fit; the library would answer with an internal error. */
export class CheckedServer extends Server {
  protected override _wrapHandler(method: string, handler: Handler): Handler {
    // The library's wrapper parses a tool's result again, in case its author made a mistake. Types hold ours.
    const wrapped = method === "tools/call" ? handler : super._wrapHandler(method, handler);
    return async (request: JSONRPCRequest, context: ServerContext) => {
      try {
        return await wrapped(request, context);
      } catch (error) {
        const faults = faultsIn(error);
        if (faults === null) throw error;
        throw new ProtocolError(ProtocolErrorCode.InvalidParams, `Invalid params of ${method}: ${faults}`);
      }
    };
  }
}

interface Fault {
  readonly path: readonly (string | number)[];
  readonly message: string;
}

const longest = 400;

/** The library's list of faults, as words; null for any other error. */
function faultsIn(error: unknown): string | null {
  if (!(error instanceof Error) || error instanceof ProtocolError || !error.message.startsWith("[")) return null;
  try {
    const faults = JSON.parse(error.message) as Fault[];
    return faults
      .map(({ path, message }) => `${path.join(".")}: ${message}`)
      .join("; ")
      .slice(0, longest)
      .toWellFormed();
  } catch {
    return null;
  }
}
