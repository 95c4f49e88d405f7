import type { ReaderOptions } from "../read/reader.ts";
import type { Store } from "../store/store.ts";

export interface OwnerContext {
  readonly store: Store;
  /** Taken from the session's token, or from the vault that was opened. */
  readonly ownerNo: number;
  readonly now: () => number;
  /** Limits access to records and files to these connections; all connections if undefined. */
  readonly connectionIds?: readonly string[] | undefined;
  /** The caller logs changes to records itself: an HTTP request already has its own log entry. */
  readonly isLoggedByCaller?: boolean;
  /** How readers of a grant measure results for `max_chars`; as JSON by default. */
  readonly measure?: NonNullable<ReaderOptions["measure"]>;
  /** The origin of the console, if it is served. */
  readonly pagesUrl?: string;
}
