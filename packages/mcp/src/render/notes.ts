import type { Json, JsonObject } from "@pdpp/contract/declaration";
import type { Warning } from "@pdpp/contract/wire";
import { escapeControls } from "@pdpp/evidence/text/literal";
import { formatCall, toToolCall } from "../layout/call.ts";

/** Formats the warnings of a list. */

export const buildWarnings = (warnings: readonly Warning[]): JsonObject =>
  warnings.length === 0
    ? {}
    : {
        warnings: warnings.map(({ code, message, reads = [] }) => ({
          code,
          message,
          ...(reads.length === 0 ? {} : { next: reads.map(toToolCall) }),
        })) as Json,
      };

/** Whether something could not be searched or shown. Notes do not count. */
export const hasFailures = (warnings: readonly Warning[]): boolean => warnings.some(({ code }) => !notes.has(code));

export const formatWarnings = (warnings: readonly Warning[]): string[] =>
  warnings.flatMap(({ code, message, reads = [] }) => [
    escapeControls(
      notes.has(code) ? `${message.slice(0, 1).toUpperCase()}${message.slice(1)}.` : `Warning: ${code}: ${message}`,
    ),
    ...reads.map((read) => formatCall(toToolCall(read))),
  ]);

/** How the search interpreted the query's words, and how recent the data is; not failures. */
const notes: ReadonlySet<string> = new Set([
  "words_not_found",
  "time_preferred",
  "searched_also",
  "phrase_not_found",
  "words_left_out",
  "no_exact_match",
  "sources_not_current",
]);
