import { createMailReader, type MailReader, type ReadMail } from "@pdpp/importers/mail/mail-reader";
import { ConnectorFailure } from "../kit/protocol.ts";
import type { Context, Folders, Work } from "./context.ts";
import { type FolderCursor, formatCursor } from "./cursor.ts";
import { type FetchedMail, fetchMails } from "./fetch-mails.ts";
import { listFlags } from "./flags.ts";
import type { FolderMemory } from "./folder-memory.ts";
import { digestLabels, listLabels } from "./labels.ts";
import type { Mail } from "./mails.ts";
import { type Plan, prepareFolders } from "./prepare-folders.ts";
import { deleteMail, digestIdentity, type StoredFiles, sendMail, storeFiles } from "./send-mail.ts";

/** A run ends after this time, so that little is repeated if the next one fails. */
const maxRunMs = 10 * 60_000;
const progressIntervalMs = 2000;

const noFiles: StoredFiles = { page: undefined, files: [] };

export async function collectChanges(context: Context, folders: Folders): Promise<void> {
  const collection = new Collection(context, await prepareFolders(context, folders));
  try {
    await collection.collect(folders);
  } finally {
    await collection.close();
  }
}

class Collection {
  readonly #context: Context;
  readonly #plan: Plan;
  readonly #reader: MailReader = createMailReader();
  readonly #startedAt = performance.now();
  readonly #total: number;
  /** Mails that were sent with their present labels. */
  readonly #sent = new Set<Mail>();
  #fetched = 0;
  #collected = 0;
  #shownAt = 0;

  constructor(context: Context, plan: Plan) {
    this.#context = context;
    this.#plan = plan;
    this.#total = plan.works.reduce((sum, { pending }) => sum + pending.length, 0);
  }

  close(): Promise<void> {
    return this.#reader.close();
  }

  async collect(folders: Folders): Promise<void> {
    const failure = await this.#attempt(async () => {
      for (const work of this.#plan.works) if (!this.#isOver()) await this.#collectFolder(work);
    });
    const isCollected = this.#plan.works.every(({ pending }) => pending.length === 0);
    // A mail that is gone from one folder may be new in another, so deletions come last.
    const settleFailure = isCollected ? await this.#attempt(() => this.#settleAffected()) : failure;
    const isComplete = isCollected && settleFailure === undefined;
    // Without any progress another run would not do better at once.
    if (settleFailure !== undefined && this.#collected === 0) throw settleFailure;
    await this.#saveCursor(folders, isComplete);
    if (!isComplete) await this.#context.run.requestNextRun("messages", this.#collected, this.#total);
  }

  /** Returns a failure that may pass, because what was collected before is good. */
  async #attempt(work: () => Promise<void>): Promise<ConnectorFailure | undefined> {
    try {
      await work();
      return undefined;
    } catch (error) {
      if (error instanceof ConnectorFailure && error.recovery === "retry_by_runtime") return error;
      throw error;
    }
  }

  #isOver(): boolean {
    return this.#fetched >= this.#context.settings.mailsPerRun || performance.now() - this.#startedAt > maxRunMs;
  }

  async #collectFolder(work: Work): Promise<void> {
    const { memory } = work;
    const uids = work.pending;
    let last = 0;
    const fetching = this.#fetch(memory, uids);
    for await (const batch of this.#reader.readAll(fetching.mails, this.#context.run.canPutBlobs)) {
      await this.#keepBatch(memory, batch);
      last = batch.at(-1)?.mail.uid ?? last;
      await this.#showProgress(memory);
    }
    work.pending = fetching.isDone() ? [] : uids.filter((uid) => uid > last);
    const failure = fetching.getFailure();
    if (failure !== undefined) throw failure;
  }

  /** If fetching fails, it ends, so that what was fetched before is kept. */
  #fetch(memory: FolderMemory, uids: readonly number[]) {
    const { account, hasLabels } = this.#context;
    let isDone = false;
    let failure: unknown;
    const fetchAll = async function* (this: Collection): AsyncGenerator<FetchedMail> {
      try {
        for await (const part of fetchMails(account, memory, uids, hasLabels)) {
          this.#fetched += part.length;
          yield* part;
          if (this.#isOver()) return;
        }
        isDone = true;
      } catch (error) {
        failure = error;
      }
    };
    return { mails: fetchAll.call(this), isDone: () => isDone, getFailure: () => failure };
  }

  /** Files are stored at once, because the host answers each. */
  async #keepBatch(memory: FolderMemory, batch: readonly ReadMail<FetchedMail>[]): Promise<void> {
    const { run } = this.#context;
    const stored = await Promise.all(batch.map(({ found }) => ("code" in found ? noFiles : storeFiles(run, found))));
    for (const [n, each] of batch.entries()) await this.#keep(memory, each, stored[n] ?? noFiles);
  }

  async #keep(
    memory: FolderMemory,
    { mail: fetched, found }: ReadMail<FetchedMail>,
    stored: StoredFiles,
  ): Promise<void> {
    this.#collected += 1;
    const { uid, labels, marks } = fetched;
    if ("code" in found) {
      memory.add(uid, undefined, "");
      await this.#context.run.skip("messages", found.code, `Mail ${uid} in ${memory.path}: ${found.reason}`);
      return;
    }
    const { id } = found.message;
    const mail = this.#plan.mails.addParsed(String(id), digestIdentity(found.message), found.files.length);
    mail.labels = digestLabels(labels);
    memory.add(uid, mail, marks);
    const more = {
      labels: listLabels(mail, fetched),
      flags: listFlags(mail.listMarks()),
      ...(fetched.threadId !== undefined && { thread_id: `gmail:${fetched.threadId}` }),
    };
    this.#sent.add(mail);
    if (await sendMail(this.#context.run, mail, found, stored, more)) return;
    await this.#context.run.skip("messages", "too_long", `Mail ${uid} in ${memory.path}: its text is too long`);
  }

  /** Deletes mails that are nowhere any more, and sends those again that are in other folders. */
  async #settleAffected(): Promise<void> {
    const { run, settings, hasLabels } = this.#context;
    const moved = new Map<FolderMemory, number[]>();
    for (const mail of this.#listAffected()) {
      const [place] = mail.listPlaces();
      if (place !== undefined) moved.set(place.folder, [...(moved.get(place.folder) ?? []), place.uid]);
      else if (settings.deletesAbsent) await deleteMail(run, mail);
      this.#collected += 1;
    }
    if (hasLabels) return;
    for (const [memory, uids] of moved) {
      const fetching = this.#fetch(
        memory,
        uids.sort((a, b) => a - b),
      );
      for await (const batch of this.#reader.readAll(fetching.mails, run.canPutBlobs))
        await this.#keepBatch(memory, batch);
      const failure = fetching.getFailure();
      if (failure !== undefined) throw failure;
    }
  }

  #listAffected(): Mail[] {
    const lost = this.#plan.works.flatMap(({ memory }) => memory.listLost());
    return [...new Set([...this.#plan.affected, ...lost])].filter((mail) => !this.#sent.has(mail));
  }

  async #saveCursor({ cursors, chosen }: Folders, isComplete: boolean): Promise<void> {
    const works = new Map(this.#plan.works.map((work) => [work.memory.path, work]));
    const next = new Map<string, FolderCursor>();
    for (const { path } of chosen) {
      const work = works.get(path);
      const cursor = work === undefined ? cursors.get(path) : createCursor(work, isComplete);
      if (cursor !== undefined) next.set(path, cursor);
    }
    // A folder that is gone is gone until its mails were settled.
    if (!isComplete) {
      for (const { path } of this.#plan.goneFolders) {
        const cursor = cursors.get(path);
        if (cursor !== undefined) next.set(path, { ...cursor, partial: true });
      }
    }
    await this.#context.run.saveCursor("messages", formatCursor(next));
  }

  async #showProgress({ path }: FolderMemory): Promise<void> {
    const now = performance.now();
    if (now - this.#shownAt < progressIntervalMs) return;
    this.#shownAt = now;
    await this.#context.run.showProgress(`Collecting ${path}`, this.#collected, this.#total);
  }
}

function createCursor(
  { memory, pending, next, modseq, base, remarked, since }: Work,
  isComplete: boolean,
): FolderCursor {
  const isPartial = pending.length > 0 || (memory.hasGone && !isComplete);
  // The next run finds those that are left only if it asks for the same changes.
  const known = pending.some((uid) => remarked.has(uid)) ? since : modseq;
  if (isComplete) memory.confirmGone();
  memory.save();
  return {
    validity: memory.validity,
    next: pending[0] ?? next,
    count: base + memory.count,
    ...(known !== undefined && { modseq: known }),
    generation: memory.generation,
    facts: memory.size,
    ...(isPartial && { partial: true }),
  };
}
