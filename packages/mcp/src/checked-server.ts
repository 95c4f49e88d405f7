import {
  type Icon,
  type Implementation,
  type JSONRPCRequest,
  ProtocolError,
  ProtocolErrorCode,
  SERVER_INFO_META_KEY,
  Server,
  type ServerContext,
  type ServerOptions,
} from "@modelcontextprotocol/server";

type Handler = ReturnType<Server["_wrapHandler"]>;

/** Says what is wrong with parameters that do not fit; the library would answer with an internal error. */
export class CheckedServer extends Server {
  readonly #identity: Implementation;
  readonly #icons: Icon[];

  /** The library repeats `identity` in every result. Icons are only wanted at the start of a session, so they are kept apart. */
  constructor(identity: Implementation, options: ServerOptions & { readonly icons: Icon[] }) {
    super(identity, options);
    this.#identity = identity;
    this.#icons = options.icons;
  }

  #withIcons(method: string, result: Awaited<ReturnType<Handler>>): Awaited<ReturnType<Handler>> {
    const serverInfo = { ...this.#identity, icons: this.#icons };
    if (method === "initialize") return { ...result, serverInfo };
    if (method === "server/discover")
      return { ...result, _meta: { ...result._meta, [SERVER_INFO_META_KEY]: serverInfo } };
    return result;
  }

  protected override _wrapHandler(method: string, handler: Handler): Handler {
    // The library's wrapper parses a tool's result again, in case its author made a mistake. Types hold ours.
    const wrapped = method === "tools/call" ? handler : super._wrapHandler(method, handler);
    return async (request: JSONRPCRequest, context: ServerContext) => {
      try {
        return this.#withIcons(method, await wrapped(request, context));
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
