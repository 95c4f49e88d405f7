import type { BuiltinConnector } from "@pdpp/connectors/builtins";
import type { Json } from "@pdpp/contract/declaration";
import type { CollectRequest } from "./collect.ts";

export type AskUnchanged = NonNullable<BuiltinConnector["isUnchanged"]>;

/** Less than a run's lease, which is not extended meanwhile. */
const maxCheckMs = 20_000;

/** Any doubt is left to the connector, which also reports what is wrong. */
export async function isUnchanged(
  { mode, settings, isUnchanged: ask, signal }: Pick<CollectRequest, "mode" | "settings" | "isUnchanged" | "signal">,
  cursors: Readonly<Record<string, Json>> | null,
  secrets: Readonly<Record<string, string>>,
): Promise<boolean> {
  if (ask === undefined || mode !== "incremental" || cursors === null) return false;
  const timeout = AbortSignal.timeout(maxCheckMs);
  const either = signal === undefined ? timeout : AbortSignal.any([signal, timeout]);
  const stopped = new Promise<false>((resolve) => either.addEventListener("abort", () => resolve(false)));
  try {
    return await Promise.race([ask({ ...settings, ...secrets }, cursors, either), stopped]);
  } catch {
    return false;
  }
}
