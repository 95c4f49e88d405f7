import type { JsonObject } from "@pdpp/contract/declaration";
import { formatInstant } from "@pdpp/contract/instant";
import type { Input } from "@pdpp/contract/operations";
import type { RecordVersion } from "@pdpp/contract/wire";
import { canRead, type StreamScope, wasVisible } from "../../store/access/scope.ts";
import type { ReadTransaction } from "../../store/engine/engine.ts";
import { parseJsonObject } from "../../store/engine/json.ts";
import { findCurrentHead, listEarlierHeads, loadData, type RecordHead } from "../../store/records/record-versions.ts";
import { type ReadContext, type TooHeavy, tooHeavy } from "../context.ts";

/** The list ends before the version that would exceed this. */
const maxBytes = 8_000_000;
const maxLightBytes = 500_000;

export async function listVersions(
  context: ReadContext,
  on: ReadTransaction,
  scope: StreamScope,
  { record_id: key, versions: most = 1 }: Input<"fetch">,
): Promise<RecordVersion[] | TooHeavy> {
  const current = await findCurrentHead(on, scope, key);
  if (current === undefined) return [];
  const heads = [current, ...(await listEarlierHeads(on, scope, current, most))];
  const states: { readonly head: RecordHead; readonly data: JsonObject }[] = [];
  let bytes = 0;
  for (const head of heads) {
    bytes += head.bytes;
    if (bytes > maxLightBytes && context.isLightOnly) return tooHeavy;
    if (bytes > maxBytes) break;
    context.throwIfStopped();
    const data = parseJsonObject(await loadData(on, scope, head));
    if (wasVisible(scope, [], data)) states.push({ head, data });
  }
  return states.slice(0, most).map(({ head, data }, i) => {
    const before = states[i + 1]?.data;
    return {
      record_version: String(head.revision),
      emitted_at: formatInstant(head.emittedAt),
      ...(before === undefined ? {} : { changed: listChangedFields(scope, before, data) }),
    };
  });
}

function listChangedFields(scope: StreamScope, before: JsonObject, after: JsonObject): string[] {
  const names = new Set([...Object.keys(after), ...Object.keys(before)]);
  const held = (data: JsonObject, name: string) => (Object.hasOwn(data, name) ? JSON.stringify(data[name]) : undefined);
  return [...names].filter((name) => canRead(scope, name) && held(before, name) !== held(after, name)).sort();
}
