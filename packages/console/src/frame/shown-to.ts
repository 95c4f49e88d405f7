import { AsyncLocalStorage } from "node:async_hooks";

/** Whom a page is made for. The guard knows it and the frame shows it; the pages in between have nothing to do with it. */
export interface ShownTo {
  /** Where a vault has several owners: which of them this is. */
  readonly name: string | undefined;
}

export const shownTo = new AsyncLocalStorage<ShownTo>();
