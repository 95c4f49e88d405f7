import type { OwnerApi } from "@pdpp/contract/owner";
import type { SkippedPart } from "@pdpp/contract/sources";
import { ImportOptionsError } from "@pdpp/importing/import-options-error";
import { type Absent, assertDeletable, deleteAbsent, findAbsent } from "@pdpp/importing/plan/absent";
import { findMoved } from "@pdpp/importing/plan/moved";
import type { PlannedPart } from "@pdpp/importing/plan/plan-part";
import type { TreePlan } from "@pdpp/importing/plan/plan-tree";
import type { PartToStore } from "@pdpp/importing/store/store-parts";
import type { FolderSettings } from "../source-settings.ts";
import { requireFolder } from "./settled-files.ts";
import { describeSkipped, formatImportCommand } from "./skipped.ts";

export interface FolderState {
  readonly ready: readonly PartToStore[];
  /** Parts that are left out, because they need an answer. */
  readonly open: readonly PlannedPart[];
  /** Files that are left out, because they are being written. */
  readonly unsettled: readonly string[];
  readonly plan: TreePlan;
}

export interface GoneRecords {
  /** How many records were deleted, by connection and stream. */
  readonly deleted: ReadonlyMap<string, Readonly<Record<string, number>>>;
  /** Why records that are gone from the folder were kept. */
  readonly kept: readonly SkippedPart[];
}

/** A run deletes without confirmation. If more is missing, suspect a disk, a sync program or a wrong folder. */
const maxUnconfirmed = 20;
const maxUnconfirmedShare = 0.5;

/**
 * Deletes records whose file was moved, and with `absent: delete` records that the folder no longer has. Runs before the rest is stored:
 * if it is interrupted, the next run finds the same.
 */
export async function deleteGone(owner: OwnerApi, settings: FolderSettings, state: FolderState): Promise<GoneRecords> {
  const deleted = new Map<string, Record<string, number>>();
  const kept: SkippedPart[] = [];
  const waiting = new Set(state.open.map(({ connection }) => connection.id));
  const comparable = state.ready.filter(
    ({ part: { importer, connection } }) =>
      importer.completeStreams !== undefined && !connection.isNew && !waiting.has(connection.id),
  );
  for (const [connectionId, work] of Map.groupBy(comparable, ({ part }) => part.connection.id)) {
    const parts = work.map(({ part }) => part);
    const canHaveMoved = parts.some(hasNewRecords);
    if (settings.absent === "keep" && !canHaveMoved) continue;
    const { answers } = work[0] ?? { answers: { attachments: true } };
    const absent = await findAbsentKeys(owner, parts);
    const moved = canHaveMoved ? await findMoved(owner, parts, absent, answers) : [];
    const isMoved = new Set(moved.flatMap(({ stream, keys }) => keys.map((key) => JSON.stringify([stream, key]))));
    const missing = absent.flatMap((each) => {
      const keys = each.keys.filter((key) => !isMoved.has(JSON.stringify([each.stream, key])));
      return keys.length === 0 ? [] : [{ ...each, keys, count: keys.length }];
    });
    const doubt = settings.absent === "keep" || missing.length === 0 ? undefined : findDoubt(parts, missing, state);
    if (doubt !== undefined) kept.push(describeKept(parts, missing, doubt, settings.path));
    const gone = settings.absent === "delete" && doubt === undefined ? [...moved, ...missing] : moved;
    if (gone.length === 0) continue;
    // The disk may have gone while we looked.
    await requireFolder(settings.path, settings.is_mount_point);
    await deleteAbsent(owner, gone);
    deleted.set(connectionId, countKeys(gone));
  }
  return { deleted, kept };
}

const hasNewRecords = ({ streams }: PlannedPart): boolean =>
  streams.some(({ records, already_here }) => records > already_here);

/** If nothing changed, only the number of absent records is known at first. */
async function findAbsentKeys(owner: OwnerApi, parts: readonly PlannedPart[]): Promise<Absent[]> {
  const answers = { attachments: true };
  const absent = await findAbsent(owner, parts, answers);
  if (absent.every(({ keys }) => keys.length > 0)) return absent;
  return findAbsent(
    owner,
    parts.map((part) => ({ ...part, recalled: undefined })),
    answers,
  );
}

/** Returns why records that seem to be gone may not be. */
function findDoubt(
  parts: readonly PlannedPart[],
  missing: readonly Absent[],
  { unsettled, plan }: FolderState,
): string | undefined {
  if (unsettled.length > 0) return "files are being written";
  try {
    assertDeletable(parts, plan.unrecognized);
  } catch (error) {
    if (error instanceof ImportOptionsError) return error.message.replace(/;.*/, "");
    throw error;
  }
  const isTooMany = missing.some(
    ({ count, total = count }) => count > maxUnconfirmed && count > total * maxUnconfirmedShare,
  );
  return isTooMany ? "that is most of them" : undefined;
}

function describeKept(
  [first]: readonly PlannedPart[],
  missing: readonly Absent[],
  doubt: string,
  path: string,
): SkippedPart {
  const counts = missing.map(({ count, stream, connection_id }) => `${count} ${stream} of ${connection_id}`).join(", ");
  const command = first === undefined ? "" : formatImportCommand(path, first, "--absent delete");
  return describeSkipped(
    "absent_kept",
    `${counts} are gone from the folder and were kept: ${doubt}. If you deleted them: ${command}`,
  );
}

function countKeys(gone: readonly Absent[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { stream, keys } of gone) counts[stream] = (counts[stream] ?? 0) + keys.length;
  return counts;
}
