import type { ConnectorRun } from "../kit/run-connector.ts";
import type { Account } from "./account.ts";
import type { FolderCursors } from "./cursor.ts";
import type { FolderMemory } from "./folder-memory.ts";
import type { ListedFolder } from "./folders.ts";
import type { AccountSettings } from "./settings.ts";

/** Shared by all steps of a run. */
export interface Context {
  readonly run: ConnectorRun;
  readonly account: Account;
  readonly settings: AccountSettings;
  /** The server keeps labels with each mail, as Gmail does. */
  readonly hasLabels: boolean;
}

export interface Folders {
  readonly cursors: FolderCursors;
  readonly chosen: readonly ListedFolder[];
  readonly changed: readonly ListedFolder[];
  /** Paths of all folders of the account. */
  readonly existing: ReadonlySet<string>;
}

/** A folder that is collected in this run. */
export interface Work {
  readonly memory: FolderMemory;
  /** UIDs that are left to collect, ascending. */
  pending: readonly number[];
  /** The folder as it was compared. */
  readonly next: number;
  readonly modseq: string | undefined;
  /** Mails that are known and have other flags or labels now, and the last change before that. */
  readonly remarked: ReadonlySet<number>;
  readonly since: string | undefined;
  /** The number of mails that earlier runs collected, if the memory does not know. */
  readonly base: number;
}
