import { once } from "node:events";
import { setTimeout as delay } from "node:timers/promises";
import { ConnectorFailure } from "../../kit/protocol.ts";
import { Account, type OpenFolder } from "../account.ts";
import { chooseFolders, listFolders } from "../folders.ts";
import { type AccountSettings, readSettings } from "../settings.ts";

export interface AccountWatch {
  readonly signal: AbortSignal;
  readonly onChange: () => void;
  /** Folders other than the inbox are compared this often. */
  readonly checkMs?: number;
}

const defaultCheckMs = 5 * 60_000;
/** Delays after consecutive failures; the last one repeats. */
const failureDelaysMs = [30_000, 5 * 60_000, 30 * 60_000];

/**
 * Calls back when an account has changed, until the signal aborts: the server announces new mails in the inbox, and one command compares all
 * folders now and then. A process for each check would cost fifty times as much. Takes the variables of the connector, and ends if it cannot
 * sign in, which the next run reports.
 */
export async function watchAccount(
  env: Readonly<Record<string, string | undefined>>,
  { signal, onChange, checkMs = defaultCheckMs }: AccountWatch,
): Promise<void> {
  const settings = readSettings(env);
  const account = new Account(settings, signal);
  let last: string | undefined;
  let failures = 0;
  try {
    while (!signal.aborted) {
      try {
        const current = await describeFolders(account, settings);
        // At the start as well: something may have changed since the last run.
        if (current !== last) onChange();
        last = current;
        failures = 0;
        await waitForMail(account, signal, checkMs);
      } catch (error) {
        if (signal.aborted) return;
        if (!(error instanceof ConnectorFailure) || error.recovery !== "retry_by_runtime") return;
        await delay(failureDelaysMs[Math.min(failures, failureDelaysMs.length - 1)], undefined, { signal });
        failures += 1;
      }
    }
  } catch (error) {
    if (!signal.aborted) throw error;
  } finally {
    await account.logOut();
  }
}

async function describeFolders(account: Account, settings: AccountSettings): Promise<string> {
  const { chosen } = chooseFolders(await listFolders(account), settings.folders);
  return JSON.stringify(
    chosen.map(({ path, uidValidity, uidNext, count, modseq }) => [path, uidValidity, uidNext, count, modseq]),
  );
}

/** Resolves when the inbox changes, or after this time. */
const waitForMail = (account: Account, signal: AbortSignal, waitMs: number): Promise<void> =>
  account.inFolder("INBOX", ({ client }) => idle(client, signal, waitMs));

async function idle(client: OpenFolder["client"], signal: AbortSignal, waitMs: number): Promise<void> {
  const ended = new AbortController();
  const either = AbortSignal.any([signal, ended.signal]);
  const waits = [
    ...(["exists", "expunge"] as const).map((name) => once(client, name, { signal: either })),
    delay(waitMs, undefined, { signal: either }),
  ];
  const idling = client.capabilities.has("IDLE") ? client.idle() : new Promise<never>(() => undefined);
  try {
    // If idling ends by itself, the connection is lost, or the server wants another command.
    await Promise.race([...waits, idling]);
  } finally {
    ended.abort();
    await Promise.allSettled(waits);
  }
  // Any command ends idling.
  await client.noop();
}
