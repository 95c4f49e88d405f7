import type { ConnectorRun } from "../kit/run-connector.ts";
import { type CollectionCursor, type DavCursor, formatCursor, parseCursor } from "./cursor.ts";
import type { DavClient } from "./dav-client.ts";
import { type Collection, isGone } from "./discover.ts";
import { partSize, type WantedObject } from "./fetch-objects.ts";
import { CollectionDenied, type Listing, listByEtags, listChanges } from "./list-changes.ts";
import { ObjectState } from "./object-state.ts";
import { RecordSender } from "./record-sender.ts";
import type { DavService } from "./service.ts";

export interface CollectOptions {
  /** Collections to follow; all that the server has are known, to tell deleted ones. */
  readonly wanted: readonly Collection[];
  readonly found: readonly Collection[];
  /** Whether records of objects that are gone stay. */
  readonly keepsAbsent: boolean;
  readonly horizon: number;
  /** More are left for the next run, so that cursors are saved on the way. */
  readonly maxObjects?: number;
}

const defaultMaxObjects = 10_000;

/** Brings the vault to what the server has, from what the last run has seen. */
export async function collectCollections(
  run: ConnectorRun,
  client: DavClient,
  service: DavService,
  options: CollectOptions,
): Promise<void> {
  const cursor = run.isFullRefresh ? undefined : parseCursor(run.cursors[service.stream]);
  if (cursor !== undefined && isUnchanged(cursor, service, options)) {
    if (!(await hasLeftovers(run, cursor))) return;
  }
  const state = await ObjectState.open(run.stateFolder, cursor?.generation);
  await new Collecting(run, client, service, options, state, cursor).run();
}

/** Whether all collections are as the cursor says, so that there is nothing to do. */
function isUnchanged({ horizon, hasStale, collections }: DavCursor, service: DavService, options: CollectOptions) {
  if (hasStale || horizon !== options.horizon) return false;
  if (Object.keys(collections).length !== options.wanted.length) return false;
  return options.wanted.every((collection) => {
    const seen = collections[collection.url];
    return seen?.reading === service.describeReading(collection) && isSame(collection, seen);
  });
}

/** Some servers hand out the same token for ever, others no token. */
const isSame = ({ token, ctag }: Collection, seen: CollectionCursor): boolean =>
  (token !== undefined || ctag !== undefined) && (token === undefined || token === seen.token) && ctag === seen.ctag;

/** Whether an interrupted run sent records that this one has to account for, or the files are missing. */
async function hasLeftovers({ stateFolder }: ConnectorRun, { generation }: DavCursor): Promise<boolean> {
  if (!ObjectState.isCurrent(stateFolder, generation)) return true;
  if (!(await ObjectState.hasJournals(stateFolder))) return false;
  return (await ObjectState.open(stateFolder, generation)).suspects.size > 0;
}

class Collecting {
  readonly #run: ConnectorRun;
  readonly #client: DavClient;
  readonly #service: DavService;
  readonly #options: CollectOptions;
  readonly #state: ObjectState;
  readonly #seen: DavCursor | undefined;
  readonly #sender: RecordSender;
  readonly #next: Record<string, CollectionCursor> = {};
  #left: number;
  #waiting = 0;

  constructor(
    run: ConnectorRun,
    client: DavClient,
    service: DavService,
    options: CollectOptions,
    state: ObjectState,
    cursor: DavCursor | undefined,
  ) {
    this.#run = run;
    this.#client = client;
    this.#service = service;
    this.#options = options;
    this.#state = state;
    // Without the files, a token would hide what this run has to learn again.
    this.#seen = run.stateFolder === undefined || state.hasBase ? cursor : undefined;
    this.#sender = new RecordSender(run, client, service, state, options);
    // Without the files, the next run would start from the beginning again.
    this.#left = run.stateFolder === undefined ? Number.POSITIVE_INFINITY : (options.maxObjects ?? defaultMaxObjects);
  }

  async run(): Promise<void> {
    const { horizon, wanted } = this.#options;
    await this.#dropCollections();
    if (this.#seen?.horizon !== horizon) this.#sender.expire((object) => object.isOpen === true);
    for (const collection of wanted) await this.#collect(collection);
    const isComplete = this.#waiting === 0;
    if (isComplete) await this.#sender.finish(wanted);
    const generation = await this.#state.save(this.#sender.listOrphans());
    const { stream } = this.#service;
    const cursor = formatCursor({
      ...(generation !== undefined && { generation }),
      horizon,
      hasStale: this.#sender.hasStale,
      collections: this.#next,
    });

    await this.#run.saveCursor(stream, cursor);
    const done = this.#sender.fetched;
    if (!isComplete) await this.#run.requestNextRun(stream, done, done + this.#waiting);
  }

  /** Forgets collections that are not wanted any more, and deletes the records of those that are gone. */
  async #dropCollections(): Promise<void> {
    const { wanted, found } = this.#options;
    const isIn = (all: readonly Collection[], url: string) => all.some((collection) => collection.url === url);
    for (const url of [...this.#state.collections.keys()]) {
      if (isIn(wanted, url)) continue;
      const isDeselected = isIn(found, url) || !this.#client.isAllowed(url);
      if (isDeselected) this.#sender.forget(url);
      else if (await isGone(this.#client, url)) this.#sender.remove(url, [...this.#known(url).keys()]);
      else {
        await this.#skip(url, url, "the server does not list it any more");
        continue;
      }
      this.#state.collections.delete(url);
    }
  }

  #known(url: string) {
    return this.#state.collections.get(url) ?? new Map<string, never>();
  }

  /** Keeps what is known of a collection, for the next run. */
  async #skip(url: string, name: string, reason: string): Promise<void> {
    const seen = this.#seen?.collections[url];
    if (seen !== undefined) this.#next[url] = seen;
    await this.#run.skip(this.#service.stream, "collection_denied", `${name}: ${reason}`);
  }

  async #collect(collection: Collection): Promise<void> {
    const { url, name = url } = collection;
    const reading = this.#service.describeReading(collection);
    const seen = this.#seen?.collections[url];
    if (seen !== undefined && seen.reading !== reading) this.#sender.expire(() => true, url);
    let listing: Listing | undefined;
    if (seen === undefined || seen.reading !== reading || !isSame(collection, seen)) {
      // Only a full listing knows all objects, and only the files know which of them to read again.
      const canContinue = seen !== undefined && (seen.reading === reading || this.#state.hasBase);
      try {
        listing = await this.#list(collection, canContinue ? seen : undefined);
      } catch (error) {
        if (!(error instanceof CollectionDenied)) throw error;
        return this.#skip(url, name, error.message);
      }
    }
    const wanted = this.#sender.plan(url, listing);
    for (let at = 0; at < wanted.length; at += partSize) {
      if (this.#left <= 0) return this.#postpone(url, wanted.slice(at), seen, reading);
      const part = wanted.slice(at, at + partSize);
      this.#left -= part.length;
      await this.#sender.fetch(collection, part);
      await this.#run.showProgress(name, at + part.length, wanted.length);
    }
    const token = listing === undefined ? seen?.token : (listing.token ?? collection.token);
    this.#next[url] = {
      ...(token !== undefined && { token }),
      ...(collection.ctag !== undefined && { ctag: collection.ctag }),
      reading,
    };
  }

  /** The next run lists the same changes again, and finds by their etags which it has. */
  #postpone(url: string, rest: readonly WantedObject[], seen: CollectionCursor | undefined, reading: string): void {
    this.#waiting += rest.length;
    const { token } = seen ?? {};
    this.#next[url] = { ...(token !== undefined && { token }), reading };
  }

  async #list(collection: Collection, seen: CollectionCursor | undefined): Promise<Listing> {
    const listing = await listChanges(this.#client, collection, seen?.token);
    const hasNews = listing.isFull || listing.listed.size > 0 || listing.gone.size > 0;
    const isContradicted = !hasNews && listing.token === seen?.token && collection.ctag !== seen?.ctag;
    return isContradicted ? { ...(await listByEtags(this.#client, collection)), token: listing.token } : listing;
  }
}
