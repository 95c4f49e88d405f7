import type { ImportAnswers, ImportPlan } from "@pdpp/console/import/import-service";
import type { StoreLocation } from "@pdpp/server/store/store";

export type ToImport =
  | {
      readonly kind: "begin";
      readonly location: StoreLocation;
      readonly ownerNo: number;
      readonly paths: readonly string[];
      readonly importId: string;
      /** Folder of the upload; removed from error messages. */
      readonly hidden: string;
    }
  | { readonly kind: "answer"; readonly answers: ImportAnswers };

export type FromImport =
  | { readonly kind: "looking"; readonly bytes: number }
  | { readonly kind: "planned"; readonly plan: ImportPlan }
  | { readonly kind: "waiting" }
  /** The answers are invalid; it waits for new ones. */
  | { readonly kind: "refused"; readonly words: string }
  | { readonly kind: "storing"; readonly records: number; readonly plannedRecords: number; readonly done: number }
  | { readonly kind: "done"; readonly importId: string }
  | { readonly kind: "failed"; readonly words: string };
