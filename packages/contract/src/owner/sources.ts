import type { Json, JsonObject } from "../manifest/declaration.ts";
import type { Output } from "../operations.ts";
import type { ImportedRecord, ImportTally } from "./imports.ts";
import type { ScheduleChoice, SourceSchedule } from "./schedule.ts";
import type { SignInMethod } from "./secrets.ts";

/** Sources that bring records by themselves, and their runs. */
export interface SourcesApi {
  list(): Promise<SourceDocument[]>;
  get(sourceId: string): Promise<SourceDocument>;
  add(request: SourceRequest): Promise<SourceDocument>;
  /** A paused source is not collected until it is resumed. */
  setPaused(sourceId: string, isPaused: boolean): Promise<SourceDocument>;
  /** Replaces the owner's choice, and makes the source due unless it is manual. */
  setSchedule(sourceId: string, choice: ScheduleChoice): Promise<SourceDocument>;
  /** Makes a source that is not paused due now, as when its folder or its credentials have changed. */
  requestRun(sourceId: string): Promise<void>;
  /** Stops collecting and forgets the source's state and runs. Its connection and records stay. */
  remove(sourceId: string): Promise<void>;
  /** Newest first, starting after the run number `before`. */
  listRuns(sourceId: string, limit: number, before?: number): Promise<RunDocument[]>;
  /** Stores what was sent to the push source of a connection. Returns what the sender expects. */
  receive(connectionId: string, push: Push): Promise<Output<"push">>;
  /** Takes the source's lease. Throws if another run holds it. */
  beginRun(sourceId: string, request: RunRequest): Promise<StartedRun>;
  /** Keeps the lease. Throws if another run has taken it since. */
  renewLease(runId: string): Promise<void>;
  /** Stores records in one transaction, durable when it resolves. Returns the run's totals so far. */
  storeRecords(runId: string, records: readonly CollectedRecord[]): Promise<ImportTally>;
  /** Ends the run, saves its cursors and frees the lease, in one transaction. */
  finishRun(runId: string, result: RunResult): Promise<RunDocument>;
}

/** The body that a phone or program sent. */
export interface Push {
  /** A location in the query. */
  readonly location: Readonly<Record<string, string>> | undefined;
  readonly contentType: string;
  readonly body: string;
}

export type SourceKind = "connector" | "folder" | "push";

export interface SourceRequest {
  readonly source_id: string;
  readonly kind: SourceKind;
  /** None for a folder, which may fill several connections. */
  readonly connection_id?: string | undefined;
  readonly settings: JsonObject;
  /** It does not run by itself until a run is requested, as while its credentials are not stored yet. */
  readonly is_held?: boolean;
}

export interface SourceDocument {
  readonly object: "source";
  readonly source_id: string;
  readonly kind: SourceKind;
  readonly connection_id?: string;
  readonly settings: JsonObject;
  readonly status: "active" | "paused" | "running";
  readonly created_at: string;
  readonly last_run?: RunDocument;
  /** When the source last finished a run without an error. */
  readonly last_success_at?: string;
  /** How it signs in, if credentials were saved for it. They are missing after a restore. */
  readonly sign_in?: SignInMethod;
  /** Missing before the source can be collected again. */
  readonly needs?: "credentials";
  readonly schedule: SourceSchedule;
  /** When it will run by itself, if a server is running; missing if it waits for the owner. */
  readonly next_run?: string;
  /** When the first of the failures since the last success was. */
  readonly failing_since?: string;
}

/** The recovery of a run that failed because its credentials are wrong, expired or missing. */
export const credentialsRecovery = "refresh_credentials";

/** `full_refresh` ignores the saved cursors. */
export type CollectionMode = "full_refresh" | "incremental";

interface RunRequest {
  readonly mode: CollectionMode;
  /** Version of the connector, for the records' origin. */
  readonly version: string;
}

export interface StartedRun {
  readonly run_id: string;
  /** The saved cursor of each stream; null before the first success, and for a full refresh. */
  readonly state: Readonly<Record<string, Json>> | null;
}

export interface CollectedRecord extends Omit<ImportedRecord, "changed_at"> {
  /** The record as sent: `{stream, key, data, emitted_at, op?}`. It is checked as text, because parsing may round numbers. */
  readonly line: string;
}

/** `interrupted`: the process that ran it died. */
export type RunStatus = "running" | "succeeded" | "failed" | "cancelled" | "interrupted";

export interface RunResult {
  readonly status: Exclude<RunStatus, "running" | "interrupted">;
  readonly cursors: Readonly<Record<string, Json>>;
  readonly report: RunReport;
}

/** How a run ended. */
export interface RunReport {
  readonly error?: RunError;
  /** The connections that a folder's run imported into. */
  readonly imported?: readonly ImportedConnection[];
  /** Parts that the connector skipped, or files that were left out. */
  readonly skipped?: readonly SkippedPart[];
  /** Details that could not be loaded, by stream. */
  readonly gaps?: Readonly<Record<string, number>>;
  /** Streams whose cursor was not saved, because parts of them are missing. */
  readonly withheld?: readonly string[];
  /** The connector stopped early, so that the cursors are saved; another run continues from there. */
  readonly has_more?: true;
}

export interface RunError {
  readonly code: string;
  readonly message: string;
  readonly is_retryable: boolean;
  /** The action that the connector asks of the owner. */
  readonly recovery?: string;
}

/** The result of a folder's run for one connection. */
export interface ImportedConnection {
  readonly connection_id: string;
  readonly connector_key: string;
  /** The import that stored it; none if nothing changed. */
  readonly import_id?: string;
  readonly files: number;
  /** Files that were not read again. */
  readonly unchanged_files: number;
  readonly tally: ImportTally;
}

export interface SkippedPart {
  readonly stream?: string;
  readonly reason: string;
  readonly message?: string;
}

export interface RunDocument extends RunReport {
  readonly object: "run";
  readonly run_id: string;
  readonly run_number: number;
  readonly source_id: string;
  readonly mode: CollectionMode;
  readonly status: RunStatus;
  readonly started_at: string;
  readonly finished_at: string | null;
  readonly tally: ImportTally;
}
