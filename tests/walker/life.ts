import type { Json } from "@pdpp/contract/declaration";
import type { EngineName } from "@pdpp/test-support/vaults/new-vault";
import { listAllowedMarks } from "../model/canaries.ts";
import { loadVault } from "../model/loaded-vault.ts";
import { listVisible, type VisibleRecord } from "../model/rules/grant.ts";
import { ModelVault } from "../model/rules/vault.ts";
import { checkExchange } from "./checks/exchange-checks.ts";
import { walkCli } from "./cli-walk.ts";
import { type ClientOf, callChecked, createClientFor, mayFail, type Tally } from "./client.ts";
import { runChecked } from "./hosts/cli-host.ts";
import { type Call, callTool, type Exchange } from "./hosts/mcp-host.ts";
import { runSilently } from "./hosts/silence.ts";
import { checkRebuilt } from "./prove.ts";
import { followBytes } from "./rest-walk.ts";
import { splitShellWords } from "./results/shell-words.ts";
import type { HostileVault } from "./vaults/hostile-vault.ts";
import { WalkError, walk } from "./walk.ts";

/** Events while a vault is read: a restart, a writer, and revocation. */

export async function proveLife({ spec, grants }: HostileVault, engine: EngineName, tally: Tally): Promise<void> {
  const vault = await loadVault(engine, spec);
  try {
    const [request] = grants;
    const client = await createClientFor(vault, spec, request!, tally);
    const made = await runSilently(() => walkAcrossRestarts(client));
    const { commands } = await walkCli(client);
    await runSilently(() => checkStableWindows(client));
    await runSilently(() => walkWhileWriting(client));
    await checkAfterRevocation(client, made, commands);
    tally.lives += 1;
  } finally {
    await vault.drop();
  }
}

/** Restarts the server every few calls; ids, cursors and versions keep working. */
async function walkAcrossRestarts(client: ClientOf): Promise<Call[]> {
  const made: Call[] = [];
  const failed: Call[] = [];
  const { rebuilt } = await walk({
    host: "content",
    call: async (call) => {
      if (made.length % 7 === 3 && made.length < 60) await client.vault.restart();
      made.push(call);
      return callChecked(client, call);
    },
    get: (url, into) => followBytes(client, url, into),
    mayFail: (exchange) => {
      if (mayFail(exchange)) failed.push(exchange.call);
      return mayFail(exchange);
    },
  });
  checkRebuilt(client, rebuilt, "across restarts", failed);
  return made;
}

const toText = (value: Json): string => (typeof value === "string" ? value : JSON.stringify(value));

/**
 * A walk over windows ends on the version it started with, or reports that it cannot: every long value of ten
 * records.
 */
async function checkStableWindows(client: ClientOf): Promise<void> {
  const { world } = client;
  for (const source of world.sources.filter(({ stream }) => stream.semantics === "mutable_state")) {
    const fields = source.stream.fields.filter(
      ({ name, kind, blob, encoding }) =>
        (kind === "text" || kind === "json") &&
        !blob &&
        encoding === undefined &&
        source.fields.has(name) &&
        !source.stream.primaryKey.includes(name),
    );
    for (const record of listVisible(source, world.snapshot).slice(0, 10))
      for (const { name } of fields) if (isLong(record.data[name])) await checkStableWindow(client, record, name);
  }
}

/** Reads the first of about ten windows, makes a change, then reads the others. */
async function checkStableWindow(client: ClientOf, record: VisibleRecord, name: string): Promise<void> {
  const { connectionId, connectorKey, stream, key, data } = record;
  const id = `${connectionId}/${stream}:${key}`;
  const before = toText(data[name]!);
  const args = { id, field_path: name, limit_chars: Math.max(90, Math.ceil(before.length / 10)) };
  let exchange = await callChecked(client, { tool: "read_record_field", arguments: args });
  let text = shownText(exchange);
  const changed = `changed ${before.slice(0, 500).toWellFormed()}`;
  const value = typeof data[name] === "string" ? changed : { changed };
  await client.vault.write([
    { connectionId, connectorKey, stream, key, op: "upsert", data: { ...data, [name]: value } },
  ]);
  for (let next = findNext(exchange); next !== undefined; next = findNext(exchange)) {
    exchange = await callChecked(client, next);
    if (exchange.result?.isError) break;
    text += shownText(exchange);
  }
  const stopped = /^Error: stale_window/.test(exchange.result?.content[0]?.text ?? "");
  if (!stopped && text !== before)
    throw new WalkError(`a walk over ${JSON.stringify([id, name])} mixed two versions, or ended early`);
}

/** Long, and without base64, which windows omit. */
const isLong = (value: Json | undefined): boolean =>
  value !== undefined && toText(value).length > 200 && !/[A-Za-z0-9+/]{64}/.test(toText(value));
const shownText = ({ result }: Exchange): string =>
  String((result?.structuredContent.window as { text?: string } | undefined)?.text ?? "");
const findNext = ({ result }: Exchange): Call | undefined => result?.structuredContent.next as Call | undefined;

/** Records appear, change and disappear between calls. Nothing leaks, and failures are reported as stale or gone. */
async function walkWhileWriting(client: ClientOf): Promise<void> {
  const { vault, world, marks, token, tally } = client;
  const { writes } = world.vault;
  const model = new ModelVault(world.vault);
  for (const write of writes[0] ?? []) model.write(write, vault.now);
  const allowed = new Set(marks.allowed);
  const later = writes.slice(1).flat();
  let calls = 0;
  await walk({
    host: "structured",
    // A record that changes while it is read cannot be rebuilt.
    into: {
      record: () => new Map(),
      value() {},
      piece() {},
      hidden() {},
      encoded() {},
      above() {},
      out() {},
      blob() {},
      records: new Map(),
    } as never,
    call: async (call) => {
      const batch = ++calls % 2 === 0 ? later.splice(0, 3) : [];
      if (batch.length > 0) {
        await vault.write(batch);
        for (const write of batch) {
          model.write(write, vault.now);
          for (const mark of listAllowedMarks({ ...world, snapshot: model.snapshot })) allowed.add(mark);
        }
      }
      const exchange = await callTool(vault, token, call);
      tally.calls += 1;
      checkExchange(exchange, { all: marks.all, allowed });
      return exchange;
    },
    mayFail: (exchange) =>
      mayFail(exchange) ||
      /^Error: (stale_window|not_found|field_not_found|blob_not_found|cursor_expired|field_not_text)/.test(
        exchange.result?.content[0]?.text ?? "",
      ),
  });
}

/** Every call that worked before is now rejected, without details. */
async function checkAfterRevocation(
  client: ClientOf,
  made: readonly Call[],
  commands: readonly string[],
): Promise<void> {
  const { vault, token, grantIds, marks, tally } = client;
  for (const id of grantIds) await vault.revoke(id);
  for (const call of made.slice(0, 200)) {
    const exchange = await callTool(vault, token, call);
    tally.calls += 1;
    checkExchange(exchange, { all: marks.all, allowed: new Set() });
    const refused = exchange.answer.status === 401 || exchange.answer.status === 403;
    if (!refused && exchange.result?.isError !== true)
      throw new WalkError(`after the revocation, ${JSON.stringify(call)} was answered ${exchange.answer.status}`);
  }
  for (const command of commands.slice(0, 50)) {
    const [, ...words] = splitShellWords(command);
    const { code, stdout } = await runChecked({ ...client, marks: { all: marks.all, allowed: new Set() } }, words);
    if (stdout !== "" || !(code === 3 || code === 4))
      throw new WalkError(`after the revocation, ${command} ended with ${code}`);
  }
}
