import { PdppError } from "@pdpp/contract/errors";
import type { Input, ReadApi } from "@pdpp/contract/operations";
import type { FieldWindow, SingleCard } from "@pdpp/contract/wire";
import type { RecordHandle } from "@pdpp/evidence/handles/handle";
import { toReadInput } from "../request.ts";
import type { Viewpoint } from "../viewpoint.tsx";
import { diffWords, type Piece } from "./word-diff.ts";

/** The fields of an earlier version, compared with the next one. */

export interface VersionField {
  readonly field: string;
  /** The start of its text; undefined if this version doesn't have the field. */
  readonly window: FieldWindow | undefined;
  /** Undefined if the next version has the same value. */
  readonly change: Change | undefined;
}

export interface Change {
  readonly pieces: readonly Piece[];
  readonly start: number;
  /** The texts continue beyond the compared part. */
  readonly isPartial: boolean;
}

const maxFields = 60;
const [beginningChars, comparedChars] = [400, 16_000];
/** How many windows to search for a difference in a long text. */
const maxWindows = 20;

export async function loadVersionFields(
  { reader, names }: Viewpoint,
  place: RecordHandle,
  version: number,
  card: SingleCard,
): Promise<VersionField[]> {
  const declared = names.declaration(place.connectionId, place.stream)?.fields ?? [];
  const { next, changed } = findNextVersion(card, version);
  const at = (field: string, of: number, offset_chars: number, limit_chars: number) =>
    readWindow(reader, {
      ...toReadInput(place),
      field,
      offset_chars,
      limit_chars,
      ...(String(of) === card.record_version ? {} : { version: String(of) }),
    });
  const fields: VersionField[] = [];
  for (const { name: field } of declared.slice(0, maxFields)) {
    const window = await at(field, version, 0, beginningChars);
    const isSame = changed !== undefined && !changed.includes(field);
    const change = isSame
      ? undefined
      : await findChange(
          (offset) => at(field, version, offset, comparedChars),
          (offset) => at(field, next, offset, comparedChars).catch(ignoreMissingVersion),
        );
    if (window !== undefined || change !== undefined) fields.push({ field, window, change });
  }
  return fields;
}

/** The next version, and which fields it changed, if known. */
function findNextVersion(
  { meta }: SingleCard,
  version: number,
): { next: number; changed: readonly string[] | undefined } {
  const later = (meta.versions ?? []).filter(({ record_version }) => Number(record_version) > version);
  const isListed = meta.versions?.some(({ record_version }) => Number(record_version) === version);
  const next = later.at(-1);
  return { next: Number(next?.record_version ?? version + 1), changed: isListed ? next?.changed : undefined };
}

type WindowFrom = (offset: number) => Promise<FieldWindow | undefined>;

async function findChange(before: WindowFrom, after: WindowFrom): Promise<Change | undefined> {
  let start = 0;
  for (let looked = 0; looked < maxWindows; looked += 1) {
    const [was, is] = [(await before(start))?.window, (await after(start))?.window];
    const end = Math.min(was?.end_chars ?? 0, is?.end_chars ?? 0);
    const isPartial = (was?.has_more ?? false) || (is?.has_more ?? false);
    if (was?.text !== is?.text) return { pieces: diffWords(was?.text ?? "", is?.text ?? ""), start, isPartial };
    if (!isPartial || end <= start) return undefined;
    start = end;
  }
  return undefined;
}

/** Undefined if this version doesn't have the field. */
async function readWindow(reader: ReadApi, input: Input<"readField">): Promise<FieldWindow | undefined> {
  try {
    return await reader.readField(input);
  } catch (error) {
    const none = ["field_not_found", "field_not_text", "invalid_window"];
    if (error instanceof PdppError && none.includes(error.code)) return undefined;
    if (error instanceof PdppError && error.code === "stale_window") throw new MissingVersion(input.version ?? "");
    throw error;
  }
}

/** The record was deleted in between, or was not covered by the grant. */
class MissingVersion extends PdppError {
  constructor(version: string) {
    super("not_found", `version ${version} was deleted, is no longer stored, or isn't covered by this access`);
  }
}

function ignoreMissingVersion(error: unknown): undefined {
  if (error instanceof MissingVersion) return undefined;
  throw error;
}
