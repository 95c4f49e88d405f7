import { mkdirSync } from "node:fs";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { createOwner } from "@pdpp/server/owner/owner";
import { openStore, type Store } from "@pdpp/server/store/store";
import { authenticate } from "#server/auth/authenticate";
import { verifyBackup } from "#server/backup/backup";
import { readAccessLog } from "#server/store/access/log/access-log";
import { raw, sql } from "#server/store/engine/sql";
import { prepare, type Target } from "../attack.ts";
import { fillCrowdVault } from "../crowd/crowd-vault.ts";
import { asOwner, runOnVault, spawnServer, startServing, toStoreLocation } from "../served.ts";
import { type Ledger, type Load, startLoad } from "./mixed-load.ts";

/** Stops or kills a server again and again at random moments under mixed load, and checks the vault each time. */

export interface StopPlan {
  readonly signal: "SIGTERM" | "SIGKILL";
  readonly rounds: number;
  readonly notes: number;
  /** The longest time between the start of the load and the signal. */
  readonly maxLoadMs: number;
  readonly onRound?: (round: number, problems: readonly string[]) => void;
}

export interface StopResult {
  readonly rounds: number;
  readonly problems: readonly string[];
  readonly confirmed: Readonly<Record<keyof Ledger, number>>;
  readonly slowestExitMs: number;
}

const connectionId = "mine";

export async function stopUnderLoad(target: Target, plan: StopPlan): Promise<StopResult> {
  const [clientToken = ""] = await prepare(
    fillCrowdVault(target, { notes: plan.notes, mails: 0, mailBytes: 0, clients: 1 }),
  );
  const { token: ownerToken } = await asOwner(target, (owner) =>
    owner.tokens.create({ name: "load", may: ["read", "ingest", "manage"] }),
  );
  const folder = join(target.dataDir, "load");
  mkdirSync(folder);
  const confirmed = { received: 0, storedNotes: 0, importedMails: 0, issuedTokens: 0, revokedTokens: 0, backups: 0 };
  const problems: string[] = [];
  let slowestExitMs = 0;
  let lastEntry = 0;
  for (let n = 0; n < plan.rounds; n += 1) {
    const round = `${plan.signal}-${n}`;
    if (n % roundsPerEarlyStop === roundsPerEarlyStop - 1) await stopWhileStarting(target, plan.signal);
    const server = await startServing(target);
    const load = startLoad({
      url: server.url.href.replace(/\/$/, ""),
      signInUrl: server.signInUrl,
      clientToken,
      ownerToken,
      connectionId,
      folder,
      round,
      variant: n,
      notes: plan.notes,
    });
    if (n % roundsPerOwnerAction === roundsPerOwnerAction - 1) await waitForOwnerAction(load);
    await pause(Math.random() * plan.maxLoadMs);
    // Another process has the vault open while the server stops.
    const other = n % 3 === 2 ? runOnVault(target, "backup", join(folder, `${round}-other.pdpp`)) : undefined;
    if (other !== undefined) await pause(Math.random() * plan.maxLoadMs);
    const began = Date.now();
    await server.stop(plan.signal);
    slowestExitMs = Math.max(slowestExitMs, Date.now() - began);
    await load.over;
    const found: string[] = [];
    if (plan.signal === "SIGTERM" && server.process.exitCode !== 0)
      found.push(`exited with ${server.process.exitCode ?? server.process.signalCode}`);
    const ran = await other;
    if (ran !== undefined && ran.code !== 0) found.push(`pdpp backup: ${ran.stderr.trim()}`);
    const isLast = n === plan.rounds - 1;
    const checked = await checkVault(target, load.ledger, lastEntry, isLast || n % roundsPerVerification === 0);
    lastEntry = checked.lastEntry;
    found.push(...checked.problems);
    for (const [name, items] of Object.entries(load.ledger)) confirmed[name as keyof Ledger] += items.length;
    problems.push(...found.map((problem) => `${round}: ${problem}`));
    plan.onRound?.(n, found);
    await rm(folder, { recursive: true });
    mkdirSync(folder);
  }
  return { rounds: plan.rounds, problems, confirmed, slowestExitMs };
}

/** On a busy machine, most servers are stopped before the owner has done anything, so some rounds wait for it. */
const roundsPerOwnerAction = 5;
const roundsPerEarlyStop = 8;
const roundsPerVerification = 10;

/** A server takes about this long until it is ready. */
const startMs = 1500;

const maxOwnerActionMs = 60_000;

async function waitForOwnerAction({ ledger, over }: Load): Promise<void> {
  const began = performance.now();
  const hasActed = () => ledger.importedMails.length + ledger.issuedTokens.length + ledger.backups.length > 0;
  let isOver = false;
  void over.then(() => {
    isOver = true;
  });
  while (!hasActed() && !isOver && performance.now() - began < maxOwnerActionMs) await pause(20);
}

async function stopWhileStarting(target: Target, signal: NodeJS.Signals): Promise<void> {
  const starting = spawnServer(target);
  await pause(Math.random() * startMs);
  starting.process.kill(signal);
  await starting.gone;
}

async function checkVault(
  target: Target,
  ledger: Ledger,
  after: number,
  isThorough: boolean,
): Promise<{ problems: string[]; lastEntry: number }> {
  let store: Store;
  try {
    store = await openStore(toStoreLocation(target));
  } catch (error) {
    return { problems: [`does not open: ${error instanceof Error ? error.message : error}`], lastEntry: after };
  }
  try {
    await store.log.adopt();
    const entries = await store.engine.read((on) => readAccessLog(on, 1, { after, limit: 1_000_000 }));
    const logged = new Set(entries.map(({ requestId }) => requestId));
    const problems = [
      count("responses are not in the log", ledger.received, (id) => !logged.has(id)),
      count("notes are lost", ledger.storedNotes, await findMissing(store, "notes", "notes", ledger.storedNotes)),
      count(
        "mails are lost",
        ledger.importedMails,
        await findMissing(store, "mail-files", "messages", ledger.importedMails),
      ),
      ...(await Promise.all(ledger.issuedTokens.map((token) => checkToken(store, token, true)))),
      ...(await Promise.all(ledger.revokedTokens.map((token) => checkToken(store, token, false)))),
      ...(await Promise.all(ledger.backups.map(checkBackup))),
    ];
    if (isThorough) problems.push(await checkLogChain(store));
    if (isThorough && target.engine === "sqlite") problems.push(await checkIntegrity(store));
    return {
      problems: problems.filter((problem) => problem !== undefined),
      lastEntry: entries.at(-1)?.entryNo ?? after,
    };
  } finally {
    await store.close();
  }
}

function count(what: string, items: readonly string[], isMissing: (item: string) => boolean): string | undefined {
  const missing = items.filter(isMissing);
  return missing.length === 0 ? undefined : `${missing.length} of ${items.length} ${what} (${missing[0]})`;
}

async function findMissing(
  store: Store,
  connectorKey: string,
  stream: string,
  keys: readonly string[],
): Promise<(key: string) => boolean> {
  if (keys.length === 0) return () => false;
  const streamNo = (await store.catalog()).connectors.get(connectorKey)?.streams.get(stream)?.streamNo;
  if (streamNo === undefined) return () => true;
  const rows = await store.engine.read((on) => on.all<{ key: string }>(raw(`SELECT key FROM r_${streamNo}`)));
  const found = new Set(rows.map(({ key }) => key.replace(/^<|>$/g, "")));
  return (key) => !found.has(key);
}

async function checkToken(store: Store, token: string, isActive: boolean): Promise<string | undefined> {
  const isAccepted = await authenticate(store, token, Date.now()).then(
    () => true,
    () => false,
  );
  if (isAccepted === isActive) return undefined;
  return isActive ? "an issued token is not accepted" : "a revoked token is accepted";
}

const checkBackup = (file: string): Promise<string | undefined> =>
  verifyBackup(file).then(
    () => undefined,
    (error) => `a complete download is not a backup: ${error.message}`,
  );

async function checkLogChain(store: Store): Promise<string | undefined> {
  const { valid, fault } = await createOwner({ store, ownerNo: 1, now: Date.now }).log.verify();
  return valid ? undefined : `the log's chain is broken: ${JSON.stringify(fault)}`;
}

async function checkIntegrity(store: Store): Promise<string | undefined> {
  const [row] = await store.engine.read((on) => on.all<{ quick_check: string }>(sql`PRAGMA quick_check`));
  return row?.quick_check === "ok" ? undefined : `quick_check: ${row?.quick_check}`;
}
