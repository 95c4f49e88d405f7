import type { Json, JsonObject } from "@pdpp/contract/declaration";
import type { Warning } from "@pdpp/contract/wire";

/** What every list says beside its items. */

export const warningObjects = (warnings: readonly Warning[]): JsonObject =>
  warnings.length === 0 ? {} : { warnings: warnings.map(({ code, message }) => ({ code, message })) as Json };

export const warningLines = (warnings: readonly Warning[]): string[] =>
  warnings.map(({ code, message }) => `Warning: ${code}: ${message}`);
