import { setTimeout as delay } from "node:timers/promises";
import tls from "node:tls";
import { ImapFlow, type MailboxObject } from "imapflow";
import { ConnectorFailure } from "../kit/protocol.ts";
import { createLostConnection, explainFailure, isPassing, isUntrusted } from "./failures.ts";
import type { AccountSettings } from "./settings.ts";

/** A folder as the server described it when it was opened. */
export interface OpenFolder {
  readonly client: ImapFlow;
  readonly uidValidity: string;
  /** UIDs from here on are newer than this description. */
  readonly uidNext: number;
  /** Undefined if the server does not number changes. */
  readonly modseq: string | undefined;
  /** The number of mails now. */
  count(): number;
}

/** UIDs that vanished after this change. */
interface Since {
  readonly modseq: string;
  readonly uidValidity: string;
  readonly onVanished: (uid: number) => void;
}

/** Waits between attempts to connect again, before giving up. A success starts over. */
const retryDelaysMs = [100, 500, 2000, 5000];
/** Long enough for a server that searches, and for a line that stalls now and then. */
const socketTimeoutMs = 90_000;

/** Reads an account over one connection, which is made again if it is lost. Never changes anything in the account. */
export class Account {
  readonly #settings: AccountSettings;
  #client: ImapFlow | undefined;
  /** Loaded only if Node's own authorities do not suffice, because there are many. */
  #usesSystemAuthorities = false;
  readonly #signal: AbortSignal | undefined;
  readonly #abort = (): void => this.close();
  #failures = 0;

  /** The signal ends what is under way, and all attempts. */
  constructor(settings: AccountSettings, signal?: AbortSignal) {
    this.#settings = settings;
    this.#signal = signal;
    signal?.addEventListener("abort", this.#abort);
  }

  /** Runs a step, again if the connection is lost: it must not keep anything of an attempt that failed. */
  async attempt<Result>(step: (client: ImapFlow) => Promise<Result>): Promise<Result> {
    for (;;) {
      try {
        const result = await step(await this.#connect());
        this.#failures = 0;
        return result;
      } catch (error) {
        this.close();
        const wait = retryDelaysMs[this.#failures];
        this.#failures += 1;
        if (!isPassing(error) || wait === undefined || this.#signal?.aborted)
          throw explainFailure(error, this.#settings);
        await delay(wait, undefined, this.#signal && { signal: this.#signal });
      }
    }
  }

  /** Runs a step in a folder, opened for reading only. Throws if it is not the expected folder any more. */
  inFolder<Result>(
    path: string,
    step: (folder: OpenFolder) => Promise<Result>,
    expected?: { readonly validity: string },
    since?: Since,
  ): Promise<Result> {
    return this.attempt(async (client) => {
      // VANISHED responses arrive only when a folder is opened.
      if (since !== undefined && client.mailbox) await client.mailboxClose();
      const report = (event: { path: string; uid?: number | undefined; earlier?: boolean | undefined }): void => {
        if (event.path === path && event.earlier && event.uid !== undefined) since?.onVanished(event.uid);
      };
      client.on("expunge", report);
      const changes = since && { changedSince: since.modseq, uidValidity: since.uidValidity };
      const lock = await client.getMailboxLock(path, { readOnly: true, ...changes });
      try {
        const folder = describeFolder(client);
        if (expected !== undefined && expected.validity !== folder.uidValidity)
          throw new ConnectorFailure("folder_replaced", `The folder ${path} was replaced.`, "retry_by_runtime");
        return await step(folder);
      } finally {
        client.off("expunge", report);
        lock.release();
      }
    });
  }

  close(): void {
    this.#client?.close();
    this.#client = undefined;
  }

  async logOut(): Promise<void> {
    this.#signal?.removeEventListener("abort", this.#abort);
    await this.#client?.logout().catch(() => undefined);
    this.close();
  }

  async #connect(): Promise<ImapFlow> {
    if (this.#client?.usable) return this.#client;
    const { host, port, security, user, login } = this.#settings;
    const client = new ImapFlow({
      host,
      port,
      secure: security === "tls",
      ...(security === "tls" ? {} : { doSTARTTLS: security === "starttls" }),
      auth: { user, ...login },
      ...(this.#usesSystemAuthorities && { tls: { ca: listAuthorities() } }),
      logger: false,
      qresync: true,
      disableAutoIdle: true,
      socketTimeout: socketTimeoutMs,
    });
    // The command that was under way fails, too; an error without a listener would end the process.
    client.on("error", () => undefined);
    this.#client = client;
    try {
      await client.connect();
    } catch (error) {
      if (this.#usesSystemAuthorities || !isUntrusted(error)) throw error;
      this.#usesSystemAuthorities = true;
      this.close();
      return this.#connect();
    }
    return client;
  }
}

/** Node's certificates and the system's, where people install the certificate authorities of private servers. */
function listAuthorities(): string[] {
  const system = ((): string[] => {
    try {
      return tls.getCACertificates("system");
    } catch {
      return [];
    }
  })();
  return [...new Set([...tls.getCACertificates("default"), ...system])];
}

function describeFolder(client: ImapFlow): OpenFolder {
  const opened = requireMailbox(client);
  const hasModseq = client.enabled.has("CONDSTORE") || client.enabled.has("QRESYNC");
  return {
    client,
    uidValidity: String(opened.uidValidity),
    uidNext: opened.uidNext || Number.MAX_SAFE_INTEGER,
    modseq: hasModseq && !opened.noModseq && opened.highestModseq ? String(opened.highestModseq) : undefined,
    count: () => requireMailbox(client).exists,
  };
}

function requireMailbox(client: ImapFlow): MailboxObject {
  if (!client.mailbox) throw createLostConnection();
  return client.mailbox;
}
