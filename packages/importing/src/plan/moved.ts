import { hash } from "node:crypto";
import type { JsonObject } from "@pdpp/contract/declaration";
import type { OwnerApi } from "@pdpp/contract/owner";
import { buildRecordKey } from "@pdpp/contract/record-key";
import type { Answers, Importer } from "@pdpp/importers/importer";
import type { Absent } from "./absent.ts";
import { getDeclaration, type PlannedPart } from "./plan-part.ts";

/** Of the absent records, those whose file was renamed or moved: the export has the same content as a new record in another place. */
export async function findMoved(
  owner: OwnerApi,
  parts: readonly PlannedPart[],
  absent: readonly Absent[],
  answers: Answers,
): Promise<Absent[]> {
  const found: Absent[] = [];
  for (const [connectionId, same] of Map.groupBy(parts, ({ connection }) => connection.id)) {
    const [first] = same;
    const lacking = absent.filter(({ connection_id }) => connection_id === connectionId);
    if (first?.importer.placeFields === undefined || lacking.length === 0) continue;
    found.push(...(await findMovedRecords(owner, first.importer, same, lacking, answers)));
  }
  return found;
}

async function findMovedRecords(
  owner: OwnerApi,
  importer: Importer,
  parts: readonly PlannedPart[],
  absent: readonly Absent[],
  answers: Answers,
): Promise<Absent[]> {
  const { mainStream, placeFields = [], mergeRules } = importer;
  const connectionId = parts[0]?.connection.id ?? "";
  const gone = new Set(absent.find(({ stream }) => stream === mainStream)?.keys);
  const held = new Set<string>();
  const byContent = new Map<string, string[]>();
  for await (const { id, data } of (await owner.reader()).export({ connection_id: connectionId, stream: mainStream })) {
    held.add(id);
    if (!gone.has(id)) continue;
    const content = digestContent(data, placeFields);
    byContent.set(content, [...(byContent.get(content) ?? []), id]);
  }
  const moved = new Set<string>();
  for await (const { key, data } of readMainRecords(importer, parts, answers)) {
    const id = held.has(key) ? undefined : byContent.get(digestContent(data, placeFields))?.shift();
    if (id !== undefined) moved.add(id);
  }
  const toAbsent = (stream: string, keys: readonly string[]): Absent[] =>
    keys.length === 0 ? [] : [{ connection_id: connectionId, stream, count: keys.length, keys }];
  const owns = mergeRules?.[mainStream]?.owns;
  const owned = new Set(absent.find(({ stream }) => stream === owns?.stream)?.keys);
  const following: string[] = [];
  if (owns !== undefined && owned.size > 0)
    for await (const { id, data } of (await owner.reader()).export({
      connection_id: connectionId,
      stream: owns.stream,
    }))
      if (owned.has(id) && moved.has(String(data[owns.field]))) following.push(id);
  return [...toAbsent(mainStream, [...moved]), ...toAbsent(owns?.stream ?? "", following)];
}

async function* readMainRecords(
  importer: Importer,
  parts: readonly PlannedPart[],
  answers: Answers,
): AsyncGenerator<{ readonly key: string; readonly data: JsonObject }> {
  const { primaryKey = [] } = getDeclaration(importer).streams.find(({ name }) => name === importer.mainStream) ?? {};
  for (const { claim } of parts)
    for await (const item of importer.read(claim, { ...answers, attachments: false }))
      if (item.kind === "record" && item.stream === importer.mainStream)
        yield { key: buildRecordKey(primaryKey, item.data) ?? "", data: item.data };
}

/** Ignores the order of fields. */
function digestContent(data: JsonObject, placeFields: readonly string[]): string {
  const fields = Object.entries(data).filter(([name]) => !placeFields.includes(name));
  return hash("sha256", JSON.stringify(fields.sort(([a], [b]) => (a < b ? -1 : 1))), "base64url");
}
