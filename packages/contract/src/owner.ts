import type { ConnectorDeclaration, JsonObject } from "./declaration.ts";
import type { Grant, GrantRequest } from "./grant.ts";
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
    /** Removes the connection with every record that came through it. */
    remove(connectionId: string): Promise<RemovedConnection>;
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
  readonly grants: {
    /** Every grant ever given. */
    list(): Promise<GrantDocument[]>;
    /** A grant, or a package with its grants. */
    get(id: string): Promise<GrantDocument | PackageDocument>;
    issue(request: GrantRequest): Promise<IssuedGrant>;
    revoke(id: string): Promise<GrantDocument | PackageDocument>;
  };
  readonly tokens: {
    list(): Promise<OwnerTokenDocument[]>;
    /** A token with which the owner's own programs call the owner's routes. */
    create(request: { readonly name: string; readonly expires_at?: string | undefined }): Promise<IssuedOwnerToken>;
    revoke(tokenId: string): Promise<RevokedOwnerToken>;
  };
  readonly log: {
    /** Entries in order: the newest, or, with `after`, those that came after that entry. */
    read(query: LogQuery): Promise<AccessDocument[]>;
  };
  /** Reads everything the owner has, as of now. */
  reader(): Promise<ReadApi>;
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

export interface OwnerTokenDocument {
  readonly object: "owner_token";
  readonly token_id: string;
  readonly name: string;
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
  readonly expires_at?: string;
}

interface RevokedOwnerToken {
  readonly object: "owner_token";
  readonly token_id: string;
  readonly status: "revoked";
  readonly revoked_at: string;
}

interface LogQuery {
  /** Only reads under that grant, or under the grants of that package. */
  readonly grant?: string | undefined;
  readonly after?: number | undefined;
  readonly limit: number;
}

/** One read: by whom, under which grants, and how much; never what. */
export interface AccessDocument {
  readonly object: "access";
  readonly entry: number;
  readonly at: string;
  readonly request_id: string;
  readonly client: string;
  readonly grant_ids: readonly string[];
  readonly operation: string;
  readonly connection_ids: readonly string[];
  readonly stream: string | null;
  readonly status: number;
  readonly records: number;
  readonly bytes: number;
}
