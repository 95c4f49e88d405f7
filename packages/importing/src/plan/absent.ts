import type { OwnerApi } from "@pdpp/contract/owner";
import type { Answers } from "@pdpp/importers/importer";
import { ImportOptionsError } from "../import-options-error.ts";
import { type PlannedPart, readSightings } from "./plan-part.ts";

/** Records of earlier imports that a complete export no longer contains. */
export interface Absent {
  readonly connection_id: string;
  readonly stream: string;
  readonly count: number;
  /** How many records the stream has; unknown if the export is the same as before. */
  readonly total?: number;
  /** Unknown if the export is the same as before. */
  readonly keys: readonly string[];
}

/** Formats with complete exports are small (contacts, notes): thousands of records, not millions. */
const maxKeys = 2_000_000;

/** Compares all parts of a connection together: two address books count as one export. */
export async function findAbsent(owner: OwnerApi, parts: readonly PlannedPart[], answers: Answers): Promise<Absent[]> {
  const here = parts.filter(({ importer, connection }) => importer.completeStreams !== undefined && !connection.isNew);
  const found: Absent[] = [];
  for (const [connectionId, same] of Map.groupBy(here, ({ connection }) => connection.id)) {
    const streams = same[0]?.importer.completeStreams ?? [];
    if (same.every(({ recalled }) => recalled?.rest.length === 0)) {
      const memories = same.flatMap(({ recalled }) => recalled?.remembered.memory_id ?? []);
      for (const stream of streams) {
        const count = await owner.imports.countOthers(connectionId, stream, memories);
        if (count > 0) found.push({ connection_id: connectionId, stream, count, keys: [] });
      }
      continue;
    }
    const seen = new Map(streams.map((stream) => [stream, new Set<string>()]));
    for (const { importer, claim } of same) {
      for await (const sighting of readSightings(importer, [{ claim }], answers))
        if (sighting !== "aside") seen.get(sighting.stream)?.add(sighting.key);
    }
    for (const [stream, keys] of seen) {
      const lacking: string[] = [];
      let total = 0;
      for await (const { id } of (await owner.reader()).export({ connection_id: connectionId, stream })) {
        total += 1;
        if (!keys.has(id) && lacking.length < maxKeys) lacking.push(id);
      }
      if (lacking.length > 0)
        found.push({ connection_id: connectionId, stream, count: lacking.length, total, keys: lacking });
    }
  }
  return found;
}

interface NotUnderstood {
  readonly path: string;
  readonly code: string;
}

/** Reasons to skip a file that do not mean it failed to open. */
const harmlessReasons = new Set(["unknown", "other_form", "empty", "link", "special"]);

/** Rejects --absent delete if an unread item could be mistaken for a deleted one. */
export function assertDeletable(parts: readonly PlannedPart[], notUnderstood: readonly NotUnderstood[]): void {
  const unread = notUnderstood.find(({ code }) => !harmlessReasons.has(code));
  if (unread !== undefined) {
    throw new ImportOptionsError(
      `${unread.path} could not be read, so its records would look deleted; drop --absent delete, or repair the export`,
    );
  }
  for (const { importer, claim, aside } of parts) {
    if (importer.completeStreams === undefined) {
      throw new ImportOptionsError(
        `${importer.title} exports are partial: a missing record may still exist. Drop --absent delete.`,
      );
    }
    if (aside > 0) {
      throw new ImportOptionsError(
        `${aside} items in ${claim.label} could not be read, so they would look deleted; drop --absent delete, or repair the export`,
      );
    }
  }
}

export async function deleteAbsent(owner: OwnerApi, absent: readonly Absent[]): Promise<number> {
  let deleted = 0;
  for (const { connection_id, stream, keys } of absent) {
    for (const record_id of keys) {
      const { records_deleted } = await owner.records.delete({ connection_id, stream, record_id });
      deleted += records_deleted;
    }
  }
  return deleted;
}

export const countAbsent = (absent: readonly Absent[]): number => absent.reduce((sum, { count }) => sum + count, 0);
