import type { OwnerSession } from "./sign-in.ts";

/** Where a signed-in owner brings exports in: what the pages need of it, and nothing of how it is done. */
export interface ImportService {
  /** The most bytes that one upload may have. */
  readonly maxBytes: number;
  /** Takes files in. Refuses what is too large before it comes, as far as `announced` tells. */
  receive(session: OwnerSession, announced: number | undefined): Promise<UploadSession>;
  /** Begins with a file or a folder of the server's own disk. Whether the owner may name one is decided before. */
  beginAtPath(session: OwnerSession, path: string): Promise<string>;
  /** The owner's import that is under way, if there is one. */
  findRunning(session: OwnerSession): string | undefined;
  /** Of an import of this owner's that the desk remembers. */
  getState(session: OwnerSession, id: string): ImportState | undefined;
  /** Brings in what was planned. */
  answer(session: OwnerSession, id: string, answers: ImportAnswers): Promise<void>;
  /** Cancels it. Stored records stay, and importing the same export resumes there. */
  cancel(session: OwnerSession, id: string): Promise<void>;
  /** Cancels running imports and removes uploads. */
  close(): Promise<void>;
}

/** An upload, file by file. */
export interface UploadSession {
  add(file: ReceivedFile): Promise<void>;
  /** Looks at what came; answers the import's id. */
  begin(): Promise<string>;
  /** Removes what came. */
  drop(): Promise<void>;
}

export interface ReceivedFile {
  /** As the browser says it: anything. */
  readonly name: string;
  /** When it was last changed, where the browser says so. */
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
  /** How many the plan has. */
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
  /** Something is there that looks like a table which a mapping could describe. */
  readonly mayHaveTables: boolean;
}

interface PlanPart {
  readonly label: string;
  readonly title: string;
  readonly files: number;
  readonly firstFile: string;
  readonly aside: number;
  readonly streams: readonly {
    readonly stream: string;
    readonly records: number;
    readonly from: string | null;
    readonly to: string | null;
    readonly already_here: number;
  }[];
}

/** Where the parts of one kind go. */
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
  /** `usual` is what was answered the last time. */
  readonly isRemembered?: true;
}

export interface ImportAnswers {
  readonly time_zone?: string;
  readonly date_order?: string;
  readonly me?: string;
  readonly attachments: boolean;
  /** By the key of a target: the connection that gets it, or the name of a new one. */
  readonly into: Readonly<Record<string, { readonly id: string } | { readonly label: string }>>;
}
