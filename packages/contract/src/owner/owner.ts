import type { ConnectorDeclaration, JsonObject } from "../manifest/declaration.ts";
import type { Input, ReadApi } from "../operations.ts";
import type { BlobRef, IngestReport } from "../wire.ts";
import type { Grant, GrantRequest, NarrowRequest } from "./grant.ts";
import type { ImportsApi } from "./imports.ts";
import type { LoggedRequest } from "./logged-request.ts";
import type { PeopleApi } from "./people.ts";
import type { SearchesApi } from "./searches.ts";
import type { SecretsApi } from "./secrets.ts";
import type { SourcesApi } from "./sources.ts";

/**
 * The operations of an owner: the counterpart of `ReadApi`, bound to one owner. REST routes, owner commands
 * and the demo use it. Results are the documents that `--json` prints.
 */
export interface OwnerApi {
  readonly connectors: {
    list(): Promise<ConnectorSummary[]>;
    get(connectorKey: string): Promise<ConnectorDetail>;
    /** Registers a manifest, or a newer version of one. */
    register(declaration: ConnectorDeclaration): Promise<RegisteredConnector>;
    /** Backfills what newer manifests need; resolves when none is pending. */
    reindex(onProgress?: (connectorKey: string, done: number, total: number) => void): Promise<void>;
  };
  readonly connections: {
    list(): Promise<ConnectionDetail[]>;
    get(connectionId: string): Promise<ConnectionDetail>;
    add(request: ConnectionRequest): Promise<ConnectionSummary>;
    /** Counts the files its records refer to, up to a limit. */
    files(connectionId: string): Promise<FileCount>;
    /** Changes the display name. The id stays. */
    rename(connectionId: string, name: string): Promise<ConnectionSummary>;
    /**
     * Removes the connection with all its records. `onHidden` is called once it can no longer be read; the deletion
     * continues after that.
     */
    remove(connectionId: string, onHidden?: () => void): Promise<RemovedConnection>;
  };
  readonly records: {
    /** Stores records, one JSON object per line. Calls `onStored` after each batch. */
    ingest(
      input: Input<"ingest">,
      lines: AsyncIterable<Uint8Array>,
      onStored?: (report: IngestReport) => void,
    ): Promise<IngestReport>;
    /** Deletes one record, or all records of a connection's stream if `record_id` is omitted. */
    delete(input: Input<"deleteRecords"> & { readonly record_id?: string }): Promise<Deletion>;
    prune(before: number): Promise<Pruning>;
  };
  readonly blobs: {
    /** Stores bytes and returns the reference to put into a record. */
    put(input: Input<"putBlob">, bytes: AsyncIterable<Uint8Array>): Promise<BlobRef>;
  };
  readonly imports: ImportsApi;
  readonly grants: {
    /** All grants, including ended ones. */
    list(): Promise<GrantDocument[]>;
    get(id: string): Promise<GrantDocument | PackageDocument>;
    issue(request: GrantRequest): Promise<IssuedGrant>;
    /** Revokes a grant or package, and the grants that replaced it. */
    revoke(id: string): Promise<GrantDocument | PackageDocument>;
    /**
     * Undoes the owner's revocation of that grant or package: the same access again, with the same tokens. Throws once
     * `undoRevocationMs` have passed.
     */
    undoRevoke(id: string): Promise<GrantDocument | PackageDocument>;
    /** Replaces a grant or package by a narrower one; its tokens keep working. Throws if the request is wider. */
    narrow(id: string, request: NarrowRequest): Promise<GrantDocument | PackageDocument>;
    /** Previews a request: the grants it would create and a reader with their scope. Nothing is granted. */
    propose(request: GrantRequest): Promise<{ readonly grants: readonly Grant[]; readonly reader: ReadApi }>;
    /** A reader with the scope of that grant or package; an ended one reads nothing. */
    reader(id: string): Promise<ReadApi>;
  };
  readonly tokens: {
    list(): Promise<OwnerTokenDocument[]>;
    /** Creates a token for the owner's own programs. */
    create(request: OwnerTokenRequest): Promise<IssuedOwnerToken>;
    revoke(tokenId: string): Promise<RevokedOwnerToken>;
  };
  readonly signIn: {
    /** Creates a sign-in code that works once, within ten minutes. */
    newCode(): Promise<string>;
  };
  readonly log: {
    /** Entries in order: the newest, or those after `after`. */
    read(query: LogQuery): Promise<AccessDocument[]>;
    /** Pages of entries, newest first. A short page may still have a next one. */
    page(query: LogPageQuery): Promise<LogPage>;
    /** Throws `not_found` for an entry that does not exist or is another owner's. */
    get(entry: number): Promise<LogEntryDetail>;
    /** When each grant was last used. In a long log, only the newest entries are considered. */
    lastReads(): Promise<LastReads>;
    /**
     * How much clients read per day since that instant, optionally under one grant or package. In a long log, only
     * the newest entries are considered.
     */
    countByDay(since: number, grant?: string): Promise<DailyReads[]>;
    /** Who has read a record, most recent first, found by the versions the vault still has. */
    listReaders(query: ReadersQuery, limit: number): Promise<RecordReaders>;
    /** Records read under a grant or package, most recent first, in their current state. */
    listRecordsRead(id: string, limit: number, before?: number): Promise<RecordsRead>;
    /** Recomputes the hash chain. `kept` is the newest entry and hash of an earlier verification. */
    verify(kept?: { readonly entry: number; readonly hash: string }): Promise<LogVerification>;
    prune(before: number): Promise<LogPruning>;
  };
  readonly people: PeopleApi;
  readonly searches: SearchesApi;
  readonly sources: SourcesApi;
  readonly secrets: SecretsApi;
  /** How much storage the vault uses. Constant cost. */
  storage(): Promise<StorageDocument>;
  /** Revokes every grant and token and deletes every source with its data. The log and the owner stay. */
  erase(onHidden?: () => void): Promise<Erasure>;
  self(): Promise<OwnerSelf>;
  /** Sets the IANA time zone for showing and parsing times; null resets it to the server's. */
  setTimeZone(zone: string | null): Promise<OwnerSelf>;
  catalog(): Promise<OwnerCatalog>;
  /** A reader of everything the owner has now. */
  reader(): Promise<ReadApi>;
}

/** For this long the owner can undo a revocation. Longer than pages offer it, for slow connections and readers. */
export const undoRevocationMs = 30_000;

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
  readonly at: ReadonlyMap<string, number>;
  /** Reads before this instant were not considered; null if the whole log was. */
  readonly from: number | null;
}

export interface OwnerDocument {
  readonly object: "owner";
  readonly name: string;
}

export interface OwnerSelf extends OwnerDocument {
  readonly is_only: boolean;
  readonly time_zone: string;
  /** Whether the owner chose it; otherwise it is the server's. */
  readonly is_time_zone_set: boolean;
}

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
  /** Defaults to a random id. */
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

/** `is_whole`: false if there are more than were counted. */
export interface FileCount {
  readonly count: number;
  readonly bytes: number;
  readonly is_whole: boolean;
}

export interface StorageDocument {
  readonly object: "storage";
  /** Size of the whole vault with indexes; null if it has other owners. */
  readonly database_bytes: number | null;
  readonly files: FileCount;
  /** Removed data is still being deleted. */
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

export interface GrantDocument extends Grant {
  readonly object: "grant";
  readonly status: GrantStatus;
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

/**
 * Rights of an owner token over HTTP: read; store records and files; send to push sources; delete records; introspect
 * tokens; or everything, including operations added later.
 */
export const ownerRights = ["read", "ingest", "push", "manage", "introspect", "everything"] as const;
export type OwnerRight = (typeof ownerRights)[number];

interface OwnerTokenRequest {
  readonly name: string;
  readonly expires_at?: string | undefined;
  /** Defaults to `everything`. */
  readonly may?: readonly OwnerRight[] | undefined;
  /** Defaults to all connections. */
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
  /** Only entries of that grant or one it replaced, or of a grant in that package. */
  readonly grant?: string | undefined;
  readonly after?: number | undefined;
  readonly limit: number;
}

/** How a request ended: answered, refused, answered in part, or still running. */
export const logOutcomes = ["answered", "refused", "early", "running"] as const;
export type LogOutcome = (typeof logOutcomes)[number];

export interface LogPageQuery {
  readonly before?: number | undefined;
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
  /** Pass as `before` for the next page; null at the end of the log. */
  readonly next: number | null;
  /** The newest entry of the whole log; later entries are new. */
  readonly last: number;
}

export interface DailyReads {
  readonly client: string;
  /** Like 2026-11-17, in UTC. */
  readonly day: string;
  readonly reads: number;
  readonly records: number;
}

export interface ReadersQuery {
  readonly connection_id: string;
  readonly stream: string;
  readonly record_id: string;
  readonly before?: number | undefined;
}

/** Only part of a long log is scanned at a time. */
interface LogScan {
  /** Pass as `before` to scan on; null if there is nothing older. */
  readonly next: number | null;
  /** Reads before this time were not scanned; null if there is nothing older. */
  readonly since: string | null;
}

export interface RecordReaders extends LogScan {
  readonly object: "record_readers";
  readonly connection_id: string;
  readonly stream: string;
  readonly record_id: string;
  readonly readers: readonly RecordReader[];
  readonly more: number;
}

export interface RecordReader {
  readonly client: string;
  /** The grants it read under, most recent first; empty for the owner's own programs. */
  readonly grant_ids: readonly string[];
  readonly times: number;
  readonly last_at?: string;
  /** Responses that may have included the record but do not list everything they returned, such as exports. */
  readonly perhaps?: { readonly times: number; readonly last_at: string };
}

export interface RecordsRead extends LogScan {
  readonly object: "records_read";
  readonly records: readonly ReadRecord[];
  /** Number of records that no longer exist. */
  readonly gone: number;
  /** Number of responses that do not list everything they returned, such as exports. */
  readonly unlisted: number;
  readonly has_more: boolean;
}

export interface ReadRecord {
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
  /** Entries from before the log was hashed. */
  readonly entries_without_hash: number;
  /** The newest entry and its hash. Stored elsewhere, they reveal a rewritten log. */
  readonly last_entry: number;
  readonly hash: string;
  readonly fault?: { readonly entry: number; readonly reason: string };
}

interface LogPruning {
  readonly object: "log_pruning";
  readonly before: string;
  readonly entries_pruned: number;
}

/** One read, refusal or owner action: who asked what, under which grants and how much, but no content. */
export interface AccessDocument {
  readonly object: "access";
  readonly entry: number;
  readonly kind: "read" | "refusal" | "act";
  readonly at: string;
  /** Set for long responses. */
  readonly ended_at?: string;
  readonly request_id: string;
  readonly client: string;
  readonly grant_ids: readonly string[];
  readonly operation: string;
  /** The object of an action; for a refusal, the token's id. */
  readonly subject?: string;
  readonly connection_ids: readonly string[];
  readonly stream: string | null;
  /** What was asked; null if that was deleted together with the data it was about. Older entries and refused tokens have none. */
  readonly request?: LoggedRequest | null;
  /** `cut` ended early; `unfinished` was running when the server died. */
  readonly outcome: "finished" | "running" | "cut" | "unfinished";
  readonly status: number;
  readonly code?: string;
  readonly records: number;
  readonly bytes: number;
  /** How many requests this entry counts, if more than one. */
  readonly times?: number;
}

/** One entry of the log, with the records that its response returned. */
export interface LogEntryDetail {
  readonly entry: AccessDocument;
  /** In their current state. */
  readonly records: readonly Omit<ReadRecord, "times" | "last_at">[];
  /** Records that are not listed: deleted since, or more than are listed. */
  readonly others: number;
}
