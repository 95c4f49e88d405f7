import type { RememberedExport } from "@pdpp/contract/imports";
import { formatInstant } from "@pdpp/contract/instant";
import { listConnections } from "../catalog/connections.ts";
import type { ReadTransaction } from "../engine/engine.ts";
import { parseStoredJson } from "../engine/json.ts";
import { loadPart } from "./imports.ts";
import { batchNames, findMemories, listFiles, loadMemory } from "./memory.ts";

/** Remembered exports that have a file of one of these names, newest first. */
export async function recallExports(
  on: ReadTransaction,
  ownerNo: number,
  names: readonly string[],
): Promise<RememberedExport[]> {
  const memoryNos = new Set<number>();
  for (let at = 0; at < names.length; at += batchNames)
    for (const no of await findMemories(on, ownerNo, names.slice(at, at + batchNames))) memoryNos.add(no);
  const held = await listConnections(on, ownerNo);
  const exports: RememberedExport[] = [];
  for (const memoryNo of [...memoryNos].sort((a, b) => b - a)) {
    const memory = await loadMemory(on, ownerNo, memoryNo);
    const connection = held.find(({ no }) => no === memory?.connectionNo);
    const part = memory === undefined ? undefined : await loadPart(on, ownerNo, memory.partNo);
    if (memory === undefined || connection === undefined || part === undefined) continue;
    const { format, importerVersion, answers, label, known, detection } = memory;
    exports.push({
      memory_id: String(memoryNo),
      connection_id: connection.id,
      format,
      importer_version: importerVersion,
      answers: parseStoredJson(answers),
      label,
      known,
      detection,
      imported_at: formatInstant(part.finishedAt ?? part.startedAt),
      files: await listFiles(on, ownerNo, memoryNo),
    });
  }
  return exports;
}
