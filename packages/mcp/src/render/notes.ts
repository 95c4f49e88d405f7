import type { Json, JsonObject } from "@pdpp/contract/declaration";
import type { Warning } from "@pdpp/contract/wire";
import { escapeControls } from "@pdpp/evidence/text/literal";
import { callLine, toolCall } from "../layout/call.ts";

/** What every list says beside its items. */

export const warningObjects = (warnings: readonly Warning[]): JsonObject =>
  warnings.length === 0
    ? {}
    : {
        warnings: warnings.map(({ code, message, reads = [] }) => ({
          code,
          message,
          ...(reads.length === 0 ? {} : { next: reads.map(toolCall) }),
        })) as Json,
      };

/** Whether something could not be searched or shown. Notes about the words of a query say nothing of that kind. */
export const hasFailures = (warnings: readonly Warning[]): boolean =>
  warnings.some(({ code }) => !aboutWords.has(code));

export const warningLines = (warnings: readonly Warning[]): string[] =>
  warnings.flatMap(({ code, message, reads = [] }) => [
    escapeControls(
      aboutWords.has(code)
        ? `${message.slice(0, 1).toUpperCase()}${message.slice(1)}.`
        : `Warning: ${code}: ${message}`,
    ),
    ...reads.map((read) => callLine(toolCall(read))),
  ]);

/** How a search went on from the words that were asked for: nothing is amiss. */
const aboutWords: ReadonlySet<string> = new Set([
  "words_not_found",
  "searched_also",
  "phrase_not_found",
  "words_left_out",
  "no_exact_match",
]);
