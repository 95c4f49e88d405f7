import type { Call, Exchange } from "./hosts/mcp-host.ts";
import { followBack, Known } from "./results/back.ts";
import { readContent } from "./results/read-content.ts";
import { readStructured } from "./results/read-structured.ts";
import { Rebuilt } from "./results/rebuilt.ts";

/** An agent without intelligence: follows every call it is shown until none is left. */

export type Host = "content" | "structured";

export interface Walk {
  readonly host: Host;
  readonly rebuilt: Rebuilt;
  readonly calls: number;
}

export interface WalkOptions {
  readonly host: Host;
  readonly call: (call: Call) => Promise<Exchange>;
  /** Calls that are never offered, such as searches. */
  readonly first?: readonly Call[];
  readonly into?: Rebuilt;
  /** Follows a read of bytes. */
  readonly get?: (url: string, into: Rebuilt) => Promise<void>;
  /** May fail: a reference to bytes that were never stored or are not text. */
  readonly mayFail?: (exchange: Exchange) => boolean;
  readonly mostCalls?: number;
}

export class WalkError extends Error {}

export async function walk({
  host,
  call,
  first = [{ tool: "schema", arguments: {} }],
  ...options
}: WalkOptions): Promise<Walk> {
  const { into: rebuilt = new Rebuilt(), mayFail = () => false, mostCalls = 5000, get } = options;
  const pending: Call[] = [...first];
  const known = new Known();
  const isNew = ({ tool, arguments: args, back }: Call): boolean => known.add(JSON.stringify([tool, args]), back);
  pending.forEach(isNew);
  let calls = 0;
  for (let next = pending.shift(); next !== undefined; next = pending.shift()) {
    if (++calls > mostCalls) throw new WalkError(`no end after ${mostCalls} calls; now ${JSON.stringify(next)}`);
    if (next.tool === "GET") {
      await get?.(String(next.arguments.url), rebuilt);
      continue;
    }
    const exchange = await call(next);
    const failed = exchange.result === undefined || exchange.result.isError === true;
    if (failed && !mayFail(exchange)) {
      const said = exchange.result?.content[0]?.text ?? Buffer.from(exchange.answer.bytes).toString("utf8");
      throw new WalkError(`a continuation failed: ${JSON.stringify(next)}\n  ${said.slice(0, 600)}`);
    }
    for (const found of followBack(next.back, listShownCalls(host, exchange, rebuilt)))
      if (isNew(found)) pending.push(found);
  }
  return { host, rebuilt, calls };
}

function listShownCalls(host: Host, { call, result }: Exchange, into: Rebuilt): Call[] {
  if (result === undefined) return [];
  try {
    return host === "content"
      ? readContent(call, result.content.map(({ text }) => text).join("\n"), result.isError === true, into)
      : readStructured(call, result.structuredContent, into);
  } catch (error) {
    throw new WalkError(
      `${(error as Error).message}\n  after ${JSON.stringify(call)}\n  ${JSON.stringify(result).slice(0, 1500)}`,
    );
  }
}
