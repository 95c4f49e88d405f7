import type { OwnerApi } from "@pdpp/contract/owner";
import type { Answers } from "@pdpp/importers/importer";
import { ImportOptionsError } from "../import-options-error.ts";
import { type PlannedPart, readSightings } from "./plan-part.ts";

/** Records that came before and are not in an export that has everything of their kind. */
export interface Absent {
  readonly connection_id: string;
  readonly stream: string;
  readonly keys: readonly string[];
}

/** Complete kinds are small: people have thousands of contacts and notes, not millions. */
const maxKeys = 2_000_000;

/** Looks for them over all parts: two address books of one connection are one. */
export async function findAbsent(owner: OwnerApi, parts: readonly PlannedPart[], answers: Answers): Promise<Absent[]> {
  const here = parts.filter(({ importer, connection }) => importer.completeStreams !== undefined && !connection.isNew);
  const found: Absent[] = [];
  for (const [connectionId, same] of Map.groupBy(here, ({ connection }) => connection.id)) {
    const seen = new Map((same[0]?.importer.completeStreams ?? []).map((stream) => [stream, new Set<string>()]));
    for (const { importer, claim } of same) {
      for await (const sighting of readSightings(importer, claim, answers))
        if (sighting !== "aside") seen.get(sighting.stream)?.add(sighting.key);
    }
    for (const [stream, keys] of seen) {
      const lacking: string[] = [];
      for await (const { id } of (await owner.reader()).export({ connection_id: connectionId, stream })) {
        if (!keys.has(id) && lacking.length < maxKeys) lacking.push(id);
      }
      if (lacking.length > 0) found.push({ connection_id: connectionId, stream, keys: lacking });
    }
  }
  return found;
}

interface NotUnderstood {
  readonly path: string;
  readonly code: string;
}

/** Not one of those that could not be opened: nobody knows it, or links, behind which nothing was ever read. */
const wasRead = new Set(["unknown", "other_form", "empty", "link", "special"]);

/** What would be taken for absent and is not must stop the import before it begins. */
export function assertDeletable(parts: readonly PlannedPart[], notUnderstood: readonly NotUnderstood[]): void {
  const unread = notUnderstood.find(({ code }) => !wasRead.has(code));
  if (unread !== undefined) {
    throw new ImportOptionsError(
      `${unread.path} could not be read, and what it holds would be taken for gone; leave --absent delete out, or mend the export`,
    );
  }
  for (const { importer, claim, aside } of parts) {
    if (importer.completeStreams === undefined) {
      throw new ImportOptionsError(
        `an export of ${importer.title} never has everything, so that what it lacks is not gone; leave --absent delete out`,
      );
    }
    if (aside > 0) {
      throw new ImportOptionsError(
        `${aside} of ${claim.label} could not be read, and would be taken for gone; leave --absent delete out, or mend the export`,
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

export const countAbsent = (absent: readonly Absent[]): number =>
  absent.reduce((sum, { keys }) => sum + keys.length, 0);
