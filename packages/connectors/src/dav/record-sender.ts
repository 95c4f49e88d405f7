import type { JsonObject } from "@pdpp/contract/declaration";
import type { ConnectorRun } from "../kit/run-connector.ts";
import type { DavClient } from "./dav-client.ts";
import type { Collection } from "./discover.ts";
import { type FetchedObject, fetchObjects, partSize, type WantedObject } from "./fetch-objects.ts";
import { formatPlace, Holders, parsePlace } from "./holders.ts";
import type { Listing } from "./list-changes.ts";
import { addKeys, type KnownObject, type ObjectKeys, type ObjectState } from "./object-state.ts";
import { type DavRecord, type DavService, formatKey } from "./service.ts";

interface SenderOptions {
  readonly keepsAbsent: boolean;
}

/** Sends the records of objects and tracks which object each record belongs to. */
export class RecordSender {
  readonly #run: ConnectorRun;
  readonly #client: DavClient;
  readonly #service: DavService;
  readonly #state: ObjectState;
  readonly #keepsAbsent: boolean;
  readonly #holders = new Holders();
  /** Keys that an object has lost, or that an interrupted run may have sent. */
  readonly #loose = new Map<string, Set<string>>();
  /** Keys sent in this run. */
  readonly #sent = new Map<string, Set<string>>();
  #fetched = 0;

  constructor(
    run: ConnectorRun,
    client: DavClient,
    service: DavService,
    state: ObjectState,
    { keepsAbsent }: SenderOptions,
  ) {
    this.#run = run;
    this.#client = client;
    this.#service = service;
    this.#state = state;
    this.#keepsAbsent = keepsAbsent;
    for (const [id, parts] of state.suspects) this.#loose.set(id, new Set(parts));
    for (const [url, objects] of state.collections)
      for (const [key, object] of objects) this.#holders.set(formatPlace(url, key), noKeys, object.keys);
  }

  get fetched(): number {
    return this.#fetched;
  }

  get hasStale(): boolean {
    return this.#state.collections.values().some((objects) => objects.values().some(({ isStale }) => isStale === true));
  }

  /** Marks known objects to be read again. */
  expire(isExpired: (object: KnownObject) => boolean, url?: string): void {
    for (const [at, objects] of this.#state.collections)
      if (url === undefined || at === url)
        for (const [key, object] of objects) if (isExpired(object)) objects.set(key, { ...object, isStale: true });
  }

  /** Forgets a collection without deleting its records. */
  forget(url: string): void {
    for (const [key, { keys }] of this.#known(url)) this.#holders.set(formatPlace(url, key), keys, noKeys);
  }

  remove(url: string, gone: Iterable<string>): void {
    const known = this.#known(url);
    for (const key of gone) {
      const object = known.get(key);
      if (object === undefined) continue;
      this.#holders.set(formatPlace(url, key), object.keys, noKeys);
      addKeys(this.#loose, object.keys);
      for (const [id, parts] of object.keys) for (const part of parts) this.#sent.get(id)?.delete(part);
      known.delete(key);
    }
  }

  /** Removes what a listing says is gone. Returns the objects to download, in their order. */
  plan(url: string, listing: Listing | undefined): WantedObject[] {
    const known = this.#known(url);
    const wanted = new Map<string, WantedObject>();
    if (listing !== undefined) {
      const { listed } = listing;
      this.remove(url, listing.isFull ? [...known.keys()].filter((key) => !listed.has(key)) : listing.gone);
      for (const [key, object] of listed) {
        const held = known.get(key);
        if (held === undefined || object.etag === undefined || object.etag !== held.etag)
          wanted.set(key, { key, ...object });
      }
    }
    for (const [key, { href, etag, isStale }] of known)
      if (isStale === true && !wanted.has(key)) wanted.set(key, { key, href, etag });
    // In the order of their places, so that an object that comes first has been read before those after it.
    return [...wanted.values()].sort((a, b) => (a.key < b.key ? -1 : 1));
  }

  /** Downloads objects and sends their records. */
  async fetch(collection: Collection, wanted: readonly WantedObject[]): Promise<void> {
    this.#fetched += wanted.length;
    const objects = await fetchObjects(this.#client, this.#service, collection.url, wanted);
    const records: DavRecord[] = [];
    for (const object of objects) records.push(...(await this.#update(collection, object)));
    await this.#state.note(groupKeys(records));
    for (const record of records) await this.#send(collection, record);
  }

  /** Takes note of an object's new content. Returns the records to send. */
  async #update(collection: Collection, { key, href, etag, content }: FetchedObject): Promise<DavRecord[]> {
    const { url } = collection;
    if (content === "gone") {
      this.remove(url, [key]);
      return [];
    }
    const known = this.#known(url);
    const before = known.get(key);
    const isReadable = "text" in content && this.#service.start.test(content.text);
    if (!isReadable) {
      const problem = "problem" in content ? content.problem : "the server sent something else";
      await this.#skip("object_unreadable", collection, href, problem);
      known.set(key, { keys: noKeys, ...before, href, isStale: true });
      return [];
    }
    const object = await this.#service.readObject(content.text, collection);
    for (const { code, reason } of object.rejected) await this.#skip(code, collection, href, reason);
    const keys = groupKeys(object.records);
    const place = formatPlace(url, key);
    this.#holders.set(place, before?.keys ?? noKeys, keys);
    if (before !== undefined) addKeys(this.#loose, listLost(before.keys, keys));
    known.set(key, { href, ...(etag !== undefined && { etag }), keys, ...(object.isOpen && { isOpen: true }) });
    return object.records.filter(({ id, part }) => this.#holders.find(id, part) === place);
  }

  async #send(collection: Collection, { id, part, data, blob }: DavRecord): Promise<void> {
    addKeys(this.#sent, new Map([[id, [part]]]));
    const { stream } = this.#service;
    const key = formatKey(id, part);
    const complete = blob === undefined ? data : await this.#storeBlob(key, data, blob);
    if (!(await this.#run.putRecord(stream, key, complete)))
      await this.#skip("too_long", collection, id.slice(0, 200), "it is longer than 16 MiB");
  }

  async #storeBlob(key: string, data: JsonObject, blob: NonNullable<DavRecord["blob"]>): Promise<JsonObject> {
    const chunks: Uint8Array[] = [];
    for await (const chunk of blob.bytes()) chunks.push(chunk);
    const reference = await this.#run.putBlob(this.#service.stream, key, blob.mimeType, Buffer.concat(chunks));
    return reference === undefined ? data : { ...data, [blob.field]: { ...reference } };
  }

  /** Keys to look at when all collections have been read. */
  listOrphans(): ObjectKeys {
    return new Map([...this.#loose].map(([id, parts]) => [id, [...parts]]));
  }

  /** Reads again what another object had the say about, and deletes records that no object has. */
  async finish(collections: readonly Collection[]): Promise<void> {
    await this.#readAgain(collections);
    for (const [id, parts] of this.#loose)
      for (const part of parts) if (this.#isAbsent(id, part)) await this.#delete(id, part);
    this.#loose.clear();
  }

  /** A record whose object is gone may be in another object too, whose version was not sent. */
  async #readAgain(collections: readonly Collection[]): Promise<void> {
    for (const collection of collections) {
      const wanted = new Map<string, WantedObject>();
      for (const [id, parts] of this.#loose)
        for (const part of parts) {
          const place = this.#sent.get(id)?.has(part) ? undefined : this.#holders.find(id, part);
          const { url, key } = parsePlace(place ?? "");
          const object = url === collection.url ? this.#known(url).get(key) : undefined;
          if (object !== undefined) wanted.set(key, { key, href: object.href, etag: object.etag });
        }
      const sorted = [...wanted.values()].sort((a, b) => (a.key < b.key ? -1 : 1));
      for (let at = 0; at < sorted.length; at += partSize)
        await this.fetch(collection, sorted.slice(at, at + partSize));
    }
  }

  /** An occurrence that its series has lost is never kept: the series is still there, without it. */
  #isAbsent(id: string, part: string): boolean {
    if (this.#holders.find(id, part) !== undefined) return false;
    return this.#holders.hasId(id) || !this.#keepsAbsent;
  }

  #delete(id: string, part: string): Promise<void> {
    const { stream, keyFields } = this.#service;
    const [first, second] = keyFields;
    const data: JsonObject = { [first]: id, ...(second !== undefined && { [second]: part }) };
    return this.#run.deleteRecord(stream, formatKey(id, part), data);
  }

  #known(url: string): Map<string, KnownObject> {
    const known = this.#state.collections.get(url) ?? new Map<string, KnownObject>();
    this.#state.collections.set(url, known);
    return known;
  }

  #skip(code: string, { name, url }: Collection, what: string, reason: string): Promise<void> {
    return this.#run.skip(this.#service.stream, code, `${name ?? url}, ${what}: ${reason}`);
  }
}

const noKeys: ObjectKeys = new Map();

const groupKeys = (records: readonly DavRecord[]): ObjectKeys =>
  new Map([...Map.groupBy(records, ({ id }) => id)].map(([id, same]) => [id, same.map(({ part }) => part)]));

function listLost(before: ObjectKeys, after: ObjectKeys): ObjectKeys {
  const lost = new Map<string, string[]>();
  for (const [id, parts] of before) {
    const kept = new Set(after.get(id));
    const gone = parts.filter((part) => !kept.has(part));
    if (gone.length > 0) lost.set(id, gone);
  }
  return lost;
}
