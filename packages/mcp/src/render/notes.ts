import type { Json, JsonObject } from "@pdpp/contract/declaration";
import type { Warning } from "@pdpp/contract/wire";

/** What every list says beside its items. */

export const warningObjects = (warnings: readonly Warning[]): JsonObject =>
  warnings.length === 0 ? {} : { warnings: warnings.map(({ code, message }) => ({ code, message })) as Json };

export const warningLines = (warnings: readonly Warning[]): string[] =>
  warnings.map(({ code, message }) =>
    aboutWords.has(code) ? `${message.slice(0, 1).toUpperCase()}${message.slice(1)}.` : `Warning: ${code}: ${message}`,
  );

/** How a search went on from the words that were asked for: nothing is amiss. */
const aboutWords: ReadonlySet<string> = new Set(["searched_also", "phrase_not_found", "words_left_out"]);
