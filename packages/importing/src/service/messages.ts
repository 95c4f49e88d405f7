import type { ImportAnswers, ImportPlan } from "@pdpp/contract/import-service";
import type { StoreLocation } from "@pdpp/server/store/store";

/** What the server's process and the one that imports say to each other. */

export type ToImport =
  | {
      readonly kind: "begin";
      readonly location: StoreLocation;
      readonly ownerNo: number;
      readonly paths: readonly string[];
      readonly importId: string;
      /** Where uploads lie: an owner's words do not name it. */
      readonly hidden: string;
    }
  | { readonly kind: "answer"; readonly answers: ImportAnswers };

export type FromImport =
  | { readonly kind: "looking"; readonly bytes: number }
  | { readonly kind: "planned"; readonly plan: ImportPlan }
  | { readonly kind: "waiting" }
  /** The answers do not do; it waits for others. */
  | { readonly kind: "refused"; readonly words: string }
  | { readonly kind: "storing"; readonly records: number; readonly plannedRecords: number; readonly done: number }
  | { readonly kind: "done"; readonly importId: string }
  | { readonly kind: "failed"; readonly words: string };
