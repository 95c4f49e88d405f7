import { isSea } from "node:sea";

/** Tells the single executable to run the module that follows; `packages/cli/bin/executable.mjs` obeys. */
export const moduleMarker = "--pdpp-module";

/**
 * Arguments of `process.execPath` that come before a module to run: Node's own flags. The single executable would pass them to pdpp, and takes
 * them in one option instead.
 */
export const formatNodeFlags = (flags: readonly string[]): string[] =>
  isSea() ? [`--node-options=${flags.map(quoteFlag).join(" ")}`, moduleMarker] : [...flags];

/** By the rules of NODE_OPTIONS: spaces separate, double quotes enclose, a backslash escapes within them. */
const quoteFlag = (flag: string): string => (/[\s"\\]/.test(flag) ? `"${flag.replace(/["\\]/g, "\\$&")}"` : flag);
