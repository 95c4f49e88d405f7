import type { ImportTally } from "@pdpp/contract/imports";

/** Items that could not be read or were refused by the vault, over all streams. */
export const countRejected = ({ streams }: ImportTally): number =>
  Object.values(streams).reduce((sum, { aside }) => sum + aside, 0);
