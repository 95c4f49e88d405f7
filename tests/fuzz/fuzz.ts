import { problemStatus } from "@pdpp/contract/errors";
import { startCpuTimer } from "@pdpp/test-support/processes/cpu-time";
import type { EngineName } from "@pdpp/test-support/vaults/new-vault";
import fc from "fast-check";
import { findLeaks, listEarlierMarks } from "../model/canaries.ts";
import { createDice, type Dice } from "../model/generators/dice.ts";
import { type Answer, loadVault, readText } from "../model/loaded-vault.ts";
import type { VaultSpec } from "../model/spec.ts";
import { checkExchange, mostMillis } from "../walker/checks/exchange-checks.ts";
import { type ClientOf, createClientFor, createTally } from "../walker/client.ts";
import { callTool, parseMessage } from "../walker/hosts/mcp-host.ts";
import { runSilently } from "../walker/hosts/silence.ts";
import { buildHostileVault, drawHostileBlueprint } from "../walker/vaults/hostile-vault.ts";
import { WalkError } from "../walker/walk.ts";
import { drawCall } from "./arguments.ts";
import { drawMessage } from "./messages.ts";
import { drawRequest } from "./routes.ts";
import { collectWords, listSourceWords, type Words } from "./words.ts";
import { drawWrite } from "./writes.ts";

/** Random calls of every tool and route. Any input must produce a result or a typed error. */

export interface FuzzTally {
  calls: number;
  results: number;
  refused: number;
  flips: number;
  slowest: number;
}

const callsPerVault = 4000;
/**
 * One in this many calls is an owner's write. Writes come last, because nothing checks the vault's content
 * afterwards.
 */
const callsPerWrite = 20;

export async function runFuzz(
  calls: number,
  seed: number,
  engine: EngineName,
  goOn: (tally: FuzzTally) => boolean,
): Promise<FuzzTally> {
  const tally: FuzzTally = { calls: 0, results: 0, refused: 0, flips: 0, slowest: 0 };
  const blueprints = fc.sample(drawHostileBlueprint(40), { seed, numRuns: Math.ceil(calls / callsPerVault) });
  for (const [i, blueprint] of blueprints.entries()) {
    const { spec, grants } = buildHostileVault(blueprint);
    const vault = await loadVault(engine, spec);
    try {
      const walker = await createClientFor(vault, spec, grants[0]!, createTally());
      // Clients may request a version by its number.
      const earlier = listEarlierMarks(walker.world, spec.writes[0] ?? [], vault.now);
      const client = { ...walker, marks: { ...walker.marks, allowed: walker.marks.allowed.union(earlier) } };
      const d = createDice(seed, i, 3);
      const words = collectWords(spec);
      const sources = listSourceWords(client.world, words);
      const end = Math.min(calls, tally.calls + callsPerVault);
      const writes = Math.floor((end - tally.calls) / callsPerWrite);
      await runSilently(async () => {
        for (const source of sources) await flipAll(client, d, source, tally);
        while (tally.calls < end - writes)
          await one(client, d, sources.length > 0 && d.chance(75) ? d.pick(sources) : words, tally);
        const owner = { ...client, token: await vault.ownerToken() };
        while (tally.calls < end) await sendTimed(owner, tally, () => fuzzWrite(owner, d, words, spec, tally));
      });
    } finally {
      await vault.drop();
    }
    if (!goOn(tally)) break;
  }
  return tally;
}

async function one(client: ClientOf, d: Dice, words: Words, tally: FuzzTally): Promise<void> {
  const roll = d.below(100);
  await sendTimed(client, tally, () => {
    if (roll < 50) return fuzzTool(client, d, words, tally);
    return roll < 55 ? fuzzMessage(client, d, words, tally) : fuzzRoute(client, d, words, tally);
  });
}

async function sendTimed({ vault }: ClientOf, tally: FuzzTally, send: () => Promise<Sent>): Promise<void> {
  tally.calls += 1;
  const cpu = startCpuTimer();
  const { about, again } = await send();
  const millis = cpu();
  tally.slowest = Math.max(tally.slowest, millis);
  if (vault.bugs.length > 0)
    throw new WalkError(`the server failed: ${(vault.bugs[0] as Error).stack}\n  after ${about}`);
  if (millis > mostMillis && (await isSlow(again)))
    throw new WalkError(`${Math.round(millis)} ms of CPU time\n  after ${about}`);
}

interface Sent {
  readonly about: string;
  again(): Promise<unknown>;
}

/** Garbage collection may slow one call. An expensive call is slow every time. */
async function isSlow(again: () => Promise<unknown>): Promise<boolean> {
  for (let i = 0; i < 3; i += 1) {
    const cpu = startCpuTimer();
    await again();
    if (cpu() <= mostMillis) return false;
  }
  return true;
}

const codes: ReadonlySet<string> = new Set(Object.keys(problemStatus).filter((code) => code !== "api_error"));

async function fuzzTool(client: ClientOf, d: Dice, words: Words, tally: FuzzTally): Promise<Sent> {
  const call = drawCall(d, words);
  const about = JSON.stringify(call).slice(0, 2000);
  const sent: Sent = { about, again: () => callTool(client.vault, client.token, call) };
  const exchange = await callTool(client.vault, client.token, call);
  const { result } = exchange;
  // A result that repeats long arguments may be longer. Echoed names are not evidence of a leak.
  const { id: _, stream: __, query: ___, ...rest } = call.arguments;
  const long = about.length > 500 && result?.isError !== true ? { limit: 1 } : {};
  checkExchange({ ...exchange, call: { tool: call.tool, arguments: { ...rest, ...long } } }, client.marks);
  if (result === undefined) {
    const { error } = parseMessage(exchange.answer) as { error?: { code?: number } };
    if (typeof error?.code !== "number") throw new WalkError(`neither a result nor an error\n  after ${about}`);
    tally.refused += 1;
    return sent;
  }
  if (result.isError) {
    const code = /^Error: (\w+): ./.exec(result.content[0]?.text ?? "")?.[1] ?? "";
    const structured = (result.structuredContent.error as { code?: string } | undefined)?.code;
    if (!codes.has(code) || structured !== code)
      throw new WalkError(`an error without a code: ${code}\n  after ${about}`);
    tally.refused += 1;
    return sent;
  }
  tally.results += 1;
  const next = JSON.stringify(result.structuredContent).match(/"cursor":"([\w-]{20,})"/)?.[1];
  if (next !== undefined) {
    if (words.cursors.length < 60) words.cursors.push(next);
    await expectFlipRejected(client, d, result.structuredContent.next as never, tally);
  }
  return sent;
}

/** Damages page and window cursors in many places. */
async function flipAll(
  client: ClientOf,
  d: Dice,
  { streams, connections, ids, fields }: Words,
  tally: FuzzTally,
): Promise<void> {
  const page = { stream: streams[0], connection_id: connections[0], limit: 1 };
  const window = { id: ids[0], field_path: d.pick(fields), limit_chars: 3 };
  for (const [tool, args] of [
    ["query_records", page],
    ["read_record_field", window],
  ] as const) {
    const { result } = await callTool(client.vault, client.token, { tool, arguments: args });
    for (let i = 0; i < 25; i += 1) await expectFlipRejected(client, d, result?.structuredContent.next as never, tally);
  }
}

/** Expects a cursor with one changed bit to be rejected. */
async function expectFlipRejected(
  client: ClientOf,
  d: Dice,
  next: { tool: string; arguments: Record<string, unknown> } | undefined,
  tally: FuzzTally,
): Promise<void> {
  const cursor = next?.arguments.cursor;
  if (next === undefined || typeof cursor !== "string" || cursor.length < 20) return;
  const at = d.below(cursor.length);
  const other = String.fromCharCode(cursor.charCodeAt(at) ^ (1 << d.below(7)));
  const damagedCursor = cursor.slice(0, at) + other + cursor.slice(at + 1);
  const call = { tool: next.tool, arguments: { ...next.arguments, cursor: damagedCursor } };
  const { result } = await callTool(client.vault, client.token, call);
  tally.flips += 1;
  if (result?.isError !== true) throw new WalkError(`a damaged cursor was taken: ${JSON.stringify(call)}`);
}

async function fuzzRoute({ vault, token, marks }: ClientOf, d: Dice, words: Words, tally: FuzzTally): Promise<Sent> {
  const { method, path } = drawRequest(d, words);
  const about = `${method} ${path.slice(0, 2000)}`;
  const send = () => vault.get(token, path, { method, ...(method === "POST" ? { body: "{}" } : {}) });
  const answer = await send();
  const leaked = findLeaks(answer, path, marks.allowed, marks.all);
  if (leaked.length > 0) throw new WalkError(`leaks ${leaked.join(", ")}\n  after ${about}`);
  const cursor = answer.status < 400 ? readText(answer).match(/"next_cursor":"([\w-]{20,})"/)?.[1] : undefined;
  if (cursor !== undefined && words.cursors.length < 60) words.cursors.push(cursor);
  count(answer, method, about, tally);
  return { about, again: send };
}

/** Sends protocol messages, which may cause protocol errors but never an internal one. */
async function fuzzMessage({ vault, token, marks }: ClientOf, d: Dice, words: Words, tally: FuzzTally): Promise<Sent> {
  const message = drawMessage(d, words);
  const about = JSON.stringify(message).slice(0, 2000);
  const send = () => vault.get(token, "/mcp", message);
  const answer = await send();
  if (answer.status >= 500) throw new WalkError(`status ${answer.status}\n  after ${about}`);
  const leaked = findLeaks(answer, message.body ?? "", marks.allowed, marks.all);
  if (leaked.length > 0) throw new WalkError(`leaks ${leaked.join(", ")}\n  after ${about}`);
  if (/"code":-32603/.test(readText(answer)))
    throw new WalkError(`an internal error: ${readText(answer).slice(0, 500)}\n  after ${about}`);
  if (answer.status < 400) tally.results += 1;
  else tally.refused += 1;
  return { about, again: send };
}

async function fuzzWrite(
  { vault, token }: ClientOf,
  d: Dice,
  words: Words,
  spec: VaultSpec,
  tally: FuzzTally,
): Promise<Sent> {
  const { path, ...init } = drawWrite(d, words, spec);
  const about = JSON.stringify({ path, ...init }).slice(0, 3000);
  const send = () => vault.get(token, path, init);
  count(await send(), init.method, about, tally);
  return { about, again: send };
}

/** Checks that an error has a code of the contract, with the status the contract assigns. */
function count(answer: Answer, method: string, about: string, tally: FuzzTally): void {
  if (answer.status < 400) {
    tally.results += 1;
    return;
  }
  tally.refused += 1;
  if (method === "HEAD") return;
  const { error } = JSON.parse(readText(answer)) as { error?: { code?: string; message?: string } };
  const status = problemStatus[error?.code as keyof typeof problemStatus];
  if (status !== answer.status || status >= 500 || !error?.message)
    throw new WalkError(`${answer.status} ${readText(answer).slice(0, 500)}\n  after ${about}`);
}
