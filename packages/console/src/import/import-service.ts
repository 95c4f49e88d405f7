import type { OwnerSession } from "../sign-in/sign-in-service.ts";

/** Imports of signed-in owners. `packages/importing` implements it. */
export interface ImportService {
  listFormats(): Promise<readonly ImportFormat[]>;
  /** Maximum size of an upload. */
  readonly maxBytes: number;
  /** Starts an upload; rejects it if `announced`, its size, is too large. */
  receive(session: OwnerSession, announced: number | undefined): Promise<UploadSession>;
  /** Imports a file or folder on the server's disk. The caller checks that the owner may. */
  beginAtPath(session: OwnerSession, path: string): Promise<string>;
  /** The id of the owner's running import. */
  findRunning(session: OwnerSession): string | undefined;
  /** The state of one of the owner's recent imports. */
  getState(session: OwnerSession, id: string): ImportState | undefined;
  /** Runs the plan with the owner's answers. */
  answer(session: OwnerSession, id: string, answers: ImportAnswers): Promise<void>;
  /** Cancels it. Stored records stay, and importing the same export resumes there. */
  cancel(session: OwnerSession, id: string): Promise<void>;
  /** Cancels running imports and removes uploads. */
  close(): Promise<void>;
}

export interface ImportFormat {
  readonly title: string;
  /** How to get the export. */
  readonly guide: string;
  /** False if it was written from a description, without a real file. */
  readonly isProven: boolean;
}

export interface UploadSession {
  add(file: ReceivedFile): Promise<void>;
  /** Starts planning; returns the import's id. */
  begin(): Promise<string>;
  /** Removes the uploaded files. */
  drop(): Promise<void>;
}

export interface ReceivedFile {
  /** Untrusted: the browser chose it. */
  readonly name: string;
  /** When it last changed, if the browser sent it. */
  readonly modifiedAt?: number | undefined;
  readonly bytes: AsyncIterable<Uint8Array>;
}

export type ImportState =
  | { readonly stage: "looking"; readonly about: string; readonly bytes: number }
  | { readonly stage: "planned"; readonly about: string; readonly plan: ImportPlan; readonly fault?: string }
  | { readonly stage: "storing"; readonly about: string; readonly progress: ImportProgress }
  | { readonly stage: "done"; readonly about: string; readonly importId: string }
  | { readonly stage: "failed"; readonly about: string; readonly words: string; readonly isBegun: boolean }
  | { readonly stage: "cancelled"; readonly about: string; readonly isBegun: boolean };

export interface ImportProgress {
  readonly records: number;
  readonly plannedRecords: number;
  /** From 0 to 1. */
  readonly done: number;
  /** Once it can be estimated. */
  readonly secondsLeft?: number;
}

/** A plan of what an import would add. Long lists have their first items and a count. */
export interface ImportPlan {
  readonly parts: readonly PlanPart[];
  readonly partCount: number;
  readonly targets: readonly PlanTarget[];
  readonly questions: readonly PlanQuestion[];
  readonly absent: readonly { readonly connection_id: string; readonly stream: string; readonly records: number }[];
  readonly notUnderstood: readonly { readonly path: string; readonly reason: string }[];
  readonly notUnderstoodCount: number;
  /** Some unrecognized files look like tables that a mapping could describe. */
  readonly mayHaveTables: boolean;
}

interface PlanPart {
  readonly label: string;
  readonly title: string;
  readonly files: number;
  readonly firstFile: string;
  /** Files that were imported before and are not read again; the streams count only the others. */
  readonly unchangedFiles: number;
  readonly isUnchanged: boolean;
  readonly aside: number;
  readonly streams: readonly {
    readonly stream: string;
    readonly records: number;
    readonly from: string | null;
    readonly to: string | null;
    readonly already_here: number;
  }[];
}

/** Parts that go into one connection. */
export interface PlanTarget {
  readonly key: string;
  readonly title: string;
  readonly connections: readonly { readonly id: string; readonly label: string }[];
}

export interface PlanQuestion {
  readonly key: "time_zone" | "date_order" | "me";
  readonly text: string;
  readonly choices?: readonly string[];
  /** The default answer; without one, an answer is required. */
  readonly usual?: string;
  /** `usual` is the previous answer. */
  readonly isRemembered?: true;
  /** How many exports need the answer, if others can be imported without it. */
  readonly skippableParts?: number;
}

export interface ImportAnswers {
  readonly time_zone?: string;
  readonly date_order?: string;
  readonly me?: string;
  readonly attachments: boolean;
  /** Read unchanged files again. */
  readonly again: boolean;
  /** By target key: an existing connection, or the name of a new one. */
  readonly into: Readonly<Record<string, { readonly id: string } | { readonly label: string }>>;
}
