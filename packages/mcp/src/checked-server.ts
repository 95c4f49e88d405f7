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

/** Explains invalid parameters; the library would report an internal error. */
export class CheckedServer extends Server {
  readonly #identity: Implementation;
  readonly #icons: Icon[];

  /**
   * The library repeats `identity` in every result. Icons are only needed when a session starts, so they are passed
   * separately.
   */
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
    // The library's wrapper validates tool results again. Ours are typed.
    const wrapped = method === "tools/call" ? handler : super._wrapHandler(method, handler);
    return async (request: JSONRPCRequest, context: ServerContext) => {
      try {
        return this.#withIcons(method, await wrapped(request, context));
      } catch (error) {
        const faults = formatValidationErrors(error);
        if (faults === null) throw error;
        throw new ProtocolError(ProtocolErrorCode.InvalidParams, `Invalid params of ${method}: ${faults}`);
      }
    };
  }
}

interface InputIssue {
  readonly path: readonly (string | number)[];
  readonly message: string;
}

const longest = 400;

/** Formats the library's validation errors; null for other errors. */
function formatValidationErrors(error: unknown): string | null {
  if (!(error instanceof Error) || error instanceof ProtocolError || !error.message.startsWith("[")) return null;
  try {
    const faults = JSON.parse(error.message) as InputIssue[];
    return faults
      .map(({ path, message }) => `${path.join(".")}: ${message}`)
      .join("; ")
      .slice(0, longest)
      .toWellFormed();
  } catch {
    return null;
  }
}
