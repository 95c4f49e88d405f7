import type { RunError } from "@pdpp/contract/sources";
import type { StoreLocation } from "@pdpp/server/store/store";
import type { FolderImport, FolderReport } from "./import-folder.ts";

/** Messages between the process of a folder's run and the process that started it. */

export interface ToFolderProcess {
  readonly location: StoreLocation;
  readonly ownerName: string;
  /** The process works only while this run has its lease. */
  readonly runId: string;
  readonly request: FolderImport;
}

export interface FolderProgress {
  readonly message: string;
  readonly count?: number;
  readonly total?: number;
}

export type FromFolderProcess =
  | { readonly kind: "progress"; readonly progress: FolderProgress }
  | { readonly kind: "done"; readonly report: FolderReport }
  | { readonly kind: "failed"; readonly error: RunError };
