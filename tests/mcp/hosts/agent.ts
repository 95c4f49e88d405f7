import { type Call, parseReading, type Reading } from "./reading.ts";

/** A tool as hosts present it to a model. */
export interface ShownTool {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: { readonly properties?: { readonly [name: string]: { readonly description?: string } } };
}

/** An agent that knows only the tool list and what it was shown. */
export class Agent {
  readonly tools: readonly ShownTool[];
  readonly readings: Reading[] = [];
  readonly #call: (call: Call) => Promise<string>;

  constructor(tools: readonly ShownTool[], call: (call: Call) => Promise<string>) {
    this.tools = tools;
    this.#call = call;
  }

  /** Makes a call of the agent's own. The tool list must declare the tool and each argument. */
  async ask(tool: string, args: Call["arguments"]): Promise<Reading> {
    const known = this.tools.find(({ name }) => name === tool)?.inputSchema.properties ?? {};
    const stray = Object.keys(args).find((name) => known[name]?.description === undefined && name !== "metric");
    if (stray !== undefined) throw new Error(`nothing says what ${tool} does with ${stray}`);
    return this.follow({ tool, arguments: args });
  }

  /** Makes a call exactly as it was shown. */
  async follow(call: Call): Promise<Reading> {
    if (!this.tools.some(({ name }) => name === call.tool)) throw new Error(`there is no tool ${call.tool}`);
    const reading = parseReading(await this.#call(call));
    this.readings.push(reading);
    return reading;
  }

  /** Fetches the complete record of the first hit. */
  async fetchFirst(query: string): Promise<Reading> {
    const hits = await this.ask("search", { query });
    return this.ask("fetch", { id: findLead(hits).arguments.id });
  }

  /** Reads every page of a list. If the host truncated a page, requests it again with the length that was visible. */
  async *pages(first: Call): AsyncGenerator<Reading> {
    for (let call: Call | undefined = first; call !== undefined; ) {
      let page = await this.follow(call);
      for (let limit = page.ids.length; page.cut && limit > 0; limit -= 1)
        page = await this.ask(call.tool, { ...call.arguments, limit });
      yield page;
      call = page.calls.find(({ tool, arguments: args }) => tool === first.tool && args.cursor !== undefined);
    }
  }

  /** Reads up to a dozen windows of a field. If the host truncated one, reads it again in pieces that fit. */
  async *windows(first: Call): AsyncGenerator<Reading> {
    let call: Call | undefined = first;
    for (let count = 0; call !== undefined && count < 12; count += 1) {
      let window: Reading = await this.follow(call);
      if (window.cut) {
        const [, start] = /characters (\d+) to/.exec(window.words) ?? [];
        const { id, field_path } = call.arguments;
        window = await this.ask(call.tool, { id, field_path, offset_chars: Number(start), limit_chars: 1000 });
      }
      yield window;
      call = findNextWindow(window);
    }
  }
}

/** When a window offers several reads, the first one continues forward. */
const findNextWindow = ({ words, calls }: Reading): Call | undefined =>
  /^next:$|"next":/m.test(words) ? calls.find(({ tool }) => tool === "read_record_field") : undefined;

/**
 * The call that continues from the first hit: its own, or `fetch` with its id, as the description of `search` says.
 */
export function findLead({ calls, ids: [id], plain }: Reading): Call {
  if (id === undefined) throw new Error(`nothing leads on from: ${plain.slice(0, 1500)}`);
  const isLead = ({ tool, arguments: args }: Call) =>
    args.id === id && (tool === "read_record_field" || tool === "fetch");
  return calls.find(isLead) ?? { tool: "fetch", arguments: { id } };
}
