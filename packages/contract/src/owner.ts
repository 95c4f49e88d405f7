import type { ConnectorDeclaration, JsonObject } from "./declaration.ts";
import type { Grant, GrantRequest, NarrowRequest } from "./grant.ts";
import type { ImportsApi } from "./imports.ts";
import type { Input, ReadApi } from "./operations.ts";
import type { BlobRef, IngestReport } from "./wire.ts";

/**
 * What an owner can do with a vault: the counterpart of `ReadApi`. It is bound to one owner, and nothing in it reaches another.
 * REST routes, owner commands and the demo call it. Answers are the documents that `--json` prints.
 */
export interface OwnerApi {
  readonly connectors: {
    list(): Promise<ConnectorSummary[]>;
    get(connectorKey: string): Promise<ConnectorDetail>;
    /** Registers a manifest, or a newer version of one. */
    register(declaration: ConnectorDeclaration): Promise<RegisteredConnector>;
    /** Fills what newer manifests wait for; resolves when none waits. */
    reindex(onProgress?: (connectorKey: string, done: number, total: number) => void): Promise<void>;
  };
  readonly connections: {
    list(): Promise<ConnectionDetail[]>;
    get(connectionId: string): Promise<ConnectionDetail>;
    add(request: ConnectionRequest): Promise<ConnectionSummary>;
    /** The files that its records refer to. Counts so many of them, and no more. */
    files(connectionId: string): Promise<FileCount>;
    /** What the owner calls it. Its id stays. */
    rename(connectionId: string, name: string): Promise<ConnectionSummary>;
    /** Removes the connection with every record that came through it. `onHidden`: nobody reads it any more; the rest may take a while. */
    remove(connectionId: string, onHidden?: () => void): Promise<RemovedConnection>;
  };
  readonly records: {
    /** Stores records, one JSON object a line. `onStored` is called after each batch. */
    ingest(
      input: Input<"ingest">,
      lines: AsyncIterable<Uint8Array>,
      onStored?: (report: IngestReport) => void,
    ): Promise<IngestReport>;
    /** Deletes one record, or, without `record_id`, every record of one connection's stream. */
    delete(input: Input<"deleteRecords"> & { readonly record_id?: string }): Promise<Deletion>;
    /** Forgets what was replaced or deleted before that instant. */
    prune(before: number): Promise<Pruning>;
  };
  readonly blobs: {
    /** Stores bytes; the answer is the reference to put into a record. */
    put(input: Input<"putBlob">, bytes: AsyncIterable<Uint8Array>): Promise<BlobRef>;
  };
  readonly imports: ImportsApi;
  readonly grants: {
    /** Every grant ever given. */
    list(): Promise<GrantDocument[]>;
    /** A grant, or a package with its grants. */
    get(id: string): Promise<GrantDocument | PackageDocument>;
    issue(request: GrantRequest): Promise<IssuedGrant>;
    /** Ends a grant or package, and what took its place. */
    revoke(id: string): Promise<GrantDocument | PackageDocument>;
    /** Puts less in the place of a grant or package: its tokens go on and read what is left. Refuses whatever is more. */
    narrow(id: string, request: NarrowRequest): Promise<GrantDocument | PackageDocument>;
    /** What a request would grant, and a reader that sees just that. Nothing is granted. */
    propose(request: GrantRequest): Promise<{ readonly grants: readonly Grant[]; readonly reader: ReadApi }>;
    /** Reads as whoever holds that grant or package reads; one that has ended reads nothing. */
    reader(id: string): Promise<ReadApi>;
  };
  readonly tokens: {
    list(): Promise<OwnerTokenDocument[]>;
    /** A token with which the owner's own programs call the owner's routes. */
    create(request: OwnerTokenRequest): Promise<IssuedOwnerToken>;
    revoke(tokenId: string): Promise<RevokedOwnerToken>;
  };
  readonly signIn: {
    /** A code that lets one browser in, once, within ten minutes. */
    newCode(): Promise<string>;
  };
  readonly log: {
    /** Entries in order: the newest, or, with `after`, those that came after that entry. */
    read(query: LogQuery): Promise<AccessDocument[]>;
    /** The newest entries first, a page at a time. A page may be short and still have a next one. */
    page(query: LogPageQuery): Promise<LogPage>;
    /** When something was last read under each grant; of a long log, by its newest entries. */
    lastReads(): Promise<LastReads>;
    /** How much clients read on each day from that instant on, or under that grant or package; of a long log, by its newest entries. */
    byDay(since: number, grant?: string): Promise<DayOfReading[]>;
    /** Who has read a record, the last one first: by the versions of it that the vault still knows. */
    readersOf(query: ReadersQuery, limit: number): Promise<RecordReaders>;
    /** The records that were read under a grant or package, the last one first, as they are now. */
    recordsUnder(id: string, limit: number, before?: number): Promise<RecordsRead>;
    /** Computes the chain of hashes again; `kept` is what an earlier verification said of its newest entry. */
    verify(kept?: { readonly entry: number; readonly hash: string }): Promise<LogVerification>;
    /** Removes the entries from before that instant. */
    prune(before: number): Promise<LogPruning>;
  };
  /** How much room the vault takes. Costs the same however much that is. */
  storage(): Promise<StorageDocument>;
  /** Ends every grant and token, and deletes every source with all that came through it. The log stays, and the owner. */
  erase(onHidden?: () => void): Promise<Erasure>;
  /** Whose side this is, and whether the vault has nobody else's data. */
  self(): Promise<OwnerSelf>;
  /** The IANA zone in which times are shown and asked for; null goes back to the zone of the server's machine. */
  setTimeZone(zone: string | null): Promise<OwnerSelf>;
  /** What the owner's sources are, and what they declare. */
  catalog(): Promise<OwnerCatalog>;
  /** Reads everything the owner has, as of now. */
  reader(): Promise<ReadApi>;
}

export interface OwnerCatalog {
  readonly connectors: ReadonlyMap<string, ConnectorDeclaration>;
  readonly connections: readonly OwnerConnection[];
}

export interface OwnerConnection {
  readonly id: string;
  readonly connectorKey: string;
  readonly label?: string;
}

export interface LastReads {
  /** By grant: when something was last read under it. */
  readonly at: ReadonlyMap<string, number>;
  /** What was read before that is not among them; null when the whole log was looked at. */
  readonly from: number | null;
}

/** One of those who have data in a vault. */
export interface OwnerDocument {
  readonly object: "owner";
  readonly name: string;
}

export interface OwnerSelf extends OwnerDocument {
  readonly is_only: boolean;
  readonly time_zone: string;
  /** Whether the owner chose it; otherwise it is that of the server's machine. */
  readonly is_time_zone_set: boolean;
}

/** What became of a grant or a token. */
export type GrantStatus = "active" | "revoked" | "expired";

export interface ConnectorSummary {
  readonly object: "connector";
  readonly connector_key: string;
  readonly connector_id: string;
  readonly display_name: string;
  readonly version: string;
  readonly streams: readonly string[];
  readonly registered_at: string;
  readonly reindexing?: { readonly done: number; readonly total: number };
}

interface ConnectorDetail extends ConnectorSummary {
  readonly manifest: JsonObject;
}

export interface RegisteredConnector {
  readonly object: "connector";
  readonly connector_key: string;
  readonly connector_id: string;
  readonly version: string;
  readonly streams: readonly string[];
  readonly status: "registered" | "updated" | "unchanged";
}

interface ConnectionRequest {
  readonly connector_key: string;
  /** A random one when left out. */
  readonly connection_id?: string | undefined;
  readonly display_name?: string | undefined;
}

export interface ConnectionSummary {
  readonly object: "connection";
  readonly connection_id: string;
  readonly connector_key: string;
  readonly display_name?: string;
  readonly created_at: string;
}

export interface ConnectionDetail extends ConnectionSummary {
  readonly record_count: number;
  readonly streams: readonly {
    readonly name: string;
    readonly record_count: number;
    readonly last_updated: string | null;
  }[];
}

interface RemovedConnection {
  readonly object: "connection";
  readonly connection_id: string;
  readonly deleted: true;
  readonly records_deleted: number;
}

/** `is_whole`: they are all counted; of very many only some are. */
export interface FileCount {
  readonly count: number;
  readonly bytes: number;
  readonly is_whole: boolean;
}

export interface StorageDocument {
  readonly object: "storage";
  /** Of the whole vault, records and indexes; null where it is not the owner's alone. */
  readonly database_bytes: number | null;
  readonly files: FileCount;
  /** Something that was removed is still being cleared away. */
  readonly is_clearing: boolean;
}

interface Erasure {
  readonly object: "erasure";
  readonly sources_deleted: number;
  readonly records_deleted: number;
}

interface Deletion {
  readonly object: "deletion";
  readonly connection_id: string;
  readonly stream: string;
  readonly record_id?: string;
  readonly records_deleted: number;
}

interface Pruning {
  readonly object: "pruning";
  readonly before: string;
  readonly versions_pruned: number;
}

/** A grant as issued, and what became of it. */
export interface GrantDocument extends Grant {
  readonly object: "grant";
  readonly status: GrantStatus;
  /** The narrower grants that took its place. */
  readonly replaced_by?: readonly string[];
}

export interface PackageDocument {
  readonly object: "package";
  readonly package_id: string;
  readonly grants: readonly GrantDocument[];
}

export interface IssuedGrant {
  readonly token: string;
  readonly package_id?: string;
  readonly grants: readonly {
    readonly grant_id: string;
    readonly connector_key: string;
    readonly connection_ids: readonly string[];
  }[];
}

/** What a token of the owner's may do over HTTP: read; store records and files; delete records; ask what a token means; or all of it, and what comes to it. */
export const ownerRights = ["read", "ingest", "manage", "introspect", "everything"] as const;
export type OwnerRight = (typeof ownerRights)[number];

interface OwnerTokenRequest {
  readonly name: string;
  readonly expires_at?: string | undefined;
  /** `everything` when left out. */
  readonly may?: readonly OwnerRight[] | undefined;
  /** All connections when left out. */
  readonly connection_ids?: readonly string[] | undefined;
}

export interface OwnerTokenDocument {
  readonly object: "owner_token";
  readonly token_id: string;
  readonly name: string;
  readonly may: readonly OwnerRight[];
  readonly connection_ids?: readonly string[];
  readonly status: GrantStatus;
  readonly created_at: string;
  readonly expires_at?: string;
  readonly revoked_at?: string;
}

interface IssuedOwnerToken {
  readonly object: "owner_token";
  readonly token: string;
  readonly token_id: string;
  readonly name: string;
  readonly may: readonly OwnerRight[];
  readonly connection_ids?: readonly string[];
  readonly expires_at?: string;
}

interface RevokedOwnerToken {
  readonly object: "owner_token";
  readonly token_id: string;
  readonly status: "revoked";
  readonly revoked_at: string;
}

interface LogQuery {
  /** Only what names that grant or one that it replaced, or a grant of that package. */
  readonly grant?: string | undefined;
  readonly after?: number | undefined;
  readonly limit: number;
}

/** How a request ended: with an answer, refused, with half an answer, or not yet. */
export const logOutcomes = ["answered", "refused", "early", "running"] as const;
export type LogOutcome = (typeof logOutcomes)[number];

export interface LogPageQuery {
  /** Only entries before that one. */
  readonly before?: number | undefined;
  /** Only entries after that one. */
  readonly after?: number | undefined;
  readonly connection?: string | undefined;
  readonly outcome?: LogOutcome | undefined;
  readonly kind?: AccessDocument["kind"] | undefined;
  readonly client?: string | undefined;
  /** As in `LogQuery`. */
  readonly grant?: string | undefined;
  readonly limit: number;
}

interface LogPage {
  readonly entries: readonly AccessDocument[];
  /** What `before` is for the next page; null at the end of the log. */
  readonly next: number | null;
  /** The newest entry of the whole log: what comes after it has come since. */
  readonly last: number;
}

export interface DayOfReading {
  readonly client: string;
  /** As 2026-11-17, in UTC. */
  readonly day: string;
  readonly reads: number;
  readonly records: number;
}

export interface ReadersQuery {
  readonly connection_id: string;
  readonly stream: string;
  readonly record_id: string;
  /** Only what was read before that entry of the log. */
  readonly before?: number | undefined;
}

/** Of a long log a part is looked at, and the next look goes on from there. */
interface LookedAt {
  /** What `before` is for the next look; null when there is nothing older. */
  readonly next: number | null;
  /** What was read before that was not looked at; null when there is nothing older. */
  readonly since: string | null;
}

export interface RecordReaders extends LookedAt {
  readonly object: "record_readers";
  readonly connection_id: string;
  readonly stream: string;
  readonly record_id: string;
  readonly readers: readonly RecordReader[];
  /** How many more there are. */
  readonly more: number;
}

export interface RecordReader {
  readonly client: string;
  /** Under which it read, the last one first; none for the owner's own programs. */
  readonly grant_ids: readonly string[];
  readonly times: number;
  readonly last_at?: string;
  /** Answers that may have held the record and do not list all they held, such as an export. */
  readonly perhaps?: { readonly times: number; readonly last_at: string };
}

export interface RecordsRead extends LookedAt {
  readonly object: "records_read";
  readonly records: readonly ReadRecord[];
  /** How many were read that are no longer there. */
  readonly gone: number;
  /** How many answers do not list all they held, such as an export. */
  readonly unlisted: number;
  readonly has_more: boolean;
}

export interface ReadRecord {
  /** Its handle. */
  readonly id: string;
  readonly title: string;
  readonly connection_id: string;
  readonly stream: string;
  readonly event_time?: string | number;
  readonly times: number;
  readonly last_at: string;
}

interface LogVerification {
  readonly object: "log_verification";
  readonly valid: boolean;
  readonly entries: number;
  /** From before entries had a hash. */
  readonly entries_without_hash: number;
  /** The newest entry and its hash; kept elsewhere, they find a log that was written anew. */
  readonly last_entry: number;
  readonly hash: string;
  /** The first entry that is not as it was written. */
  readonly fault?: { readonly entry: number; readonly reason: string };
}

interface LogPruning {
  readonly object: "log_pruning";
  readonly before: string;
  readonly entries_pruned: number;
}

/** One read, refusal or act of the owner: by whom, under which grants, and how much; never what. */
export interface AccessDocument {
  readonly object: "access";
  readonly entry: number;
  readonly kind: "read" | "refusal" | "act";
  readonly at: string;
  /** Of an answer that took its time. */
  readonly ended_at?: string;
  readonly request_id: string;
  readonly client: string;
  readonly grant_ids: readonly string[];
  readonly operation: string;
  /** What an act was done to; of a refusal, the token's id. */
  readonly subject?: string;
  readonly connection_ids: readonly string[];
  readonly stream: string | null;
  /** `cut` ended early, `unfinished` was under way when the server died. */
  readonly outcome: "finished" | "running" | "cut" | "unfinished";
  readonly status: number;
  /** Why it was refused or ended early. */
  readonly code?: string;
  readonly records: number;
  readonly bytes: number;
  /** How many requests it stands for, when more than one. */
  readonly times?: number;
}
