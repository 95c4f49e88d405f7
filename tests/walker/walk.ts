import type { Call, Exchange } from "./mcp-host.ts";
import { readContent } from "./read-content.ts";
import { readStructured } from "./read-structured.ts";
import { Rebuilt } from "./rebuilt.ts";

/** An agent without intelligence: it follows every call that it is shown, until none is left. */

export type Host = "content" | "structured";

export interface Walk {
  readonly host: Host;
  readonly rebuilt: Rebuilt;
  readonly calls: number;
}

export interface WalkOptions {
  readonly host: Host;
  readonly call: (call: Call) => Promise<Exchange>;
  /** Calls that nobody is shown, such as searches: somebody has to think of the words. */
  readonly first?: readonly Call[];
  readonly into?: Rebuilt;
  /** What may fail: a reference to bytes that were never stored, or that are not the text they are said to be. */
  readonly mayFail?: (exchange: Exchange) => boolean;
  readonly mostCalls?: number;
}

export class WalkFault extends Error {}

export async function walk({
  host,
  call,
  first = [{ tool: "schema", arguments: {} }],
  ...options
}: WalkOptions): Promise<Walk> {
  const { into: rebuilt = new Rebuilt(), mayFail = () => false, mostCalls = 5000 } = options;
  const pending: Call[] = [...first];
  const keyOf = (each: Call): string => JSON.stringify([each.tool, each.arguments]);
  /** Whether a call was only looked at, or followed further too. */
  const known = new Map(pending.map((each) => [keyOf(each), false]));
  let calls = 0;
  for (let next = pending.shift(); next !== undefined; next = pending.shift()) {
    if (++calls > mostCalls) throw new WalkFault(`no end after ${mostCalls} calls; now ${JSON.stringify(next)}`);
    const exchange = await call(next);
    const failed = exchange.result === undefined || exchange.result.isError === true;
    if (failed && !mayFail(exchange)) {
      const said = exchange.result?.content[0]?.text ?? Buffer.from(exchange.answer.bytes).toString("utf8");
      throw new WalkFault(`a continuation failed: ${JSON.stringify(next)}\n  ${said.slice(0, 600)}`);
    }
    const shown = shownCalls(host, exchange, rebuilt);
    // One step back proves the way back; going on from there would read everything again from another place.
    for (const found of next.back ? [] : shown) {
      const { back = false } = found;
      if (known.get(keyOf(found)) === false || (back && known.has(keyOf(found)))) continue;
      known.set(keyOf(found), back);
      pending.push(found);
    }
  }
  return { host, rebuilt, calls };
}

function shownCalls(host: Host, { call, result }: Exchange, into: Rebuilt): Call[] {
  if (result === undefined) return [];
  try {
    return host === "content"
      ? readContent(call, result.content.map(({ text }) => text).join("\n"), result.isError === true, into)
      : readStructured(call, result.structuredContent, into);
  } catch (error) {
    throw new WalkFault(
      `${(error as Error).message}\n  after ${JSON.stringify(call)}\n  ${JSON.stringify(result).slice(0, 1500)}`,
    );
  }
}
