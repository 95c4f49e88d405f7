import type { ImportedRecord, MergeRules } from "@pdpp/contract/imports";
import type { WriteTransaction } from "../store/engine/engine.ts";
import { toIndexText } from "../store/engine/index-text.ts";
import { parseJsonObject } from "../store/engine/json.ts";
import { type Link, loadLinks, loadRecordTexts, type StoredPart, saveLinks } from "../store/imports/imports.ts";
import { forgetMemories } from "../store/imports/memory.ts";
import {
  isSameExport,
  mergeFields,
  mergeRecords,
  type Precedence,
  pickNewer,
  type RecordContent,
} from "../store/imports/merge.ts";
import type { WriteTarget } from "../store/records/classify-writes.ts";
import { writeRecords } from "../store/records/write-records.ts";
import {
  canRename,
  computeContentDigest,
  computeIdentity,
  findCopy,
  type Item,
  isOtherItem,
  renameRecord,
} from "./import-collisions.ts";
import { moveOwnedRecords, type Renames } from "./owned-records.ts";
import type { ParsedRecord } from "./parse-record.ts";

/** Writes imported records with different keys, each merged with the stored record of the same key. */

export interface RoundContext {
  readonly on: WriteTransaction;
  readonly target: WriteTarget;
  /** The stream of the records that these records own. */
  readonly owned: WriteTarget | undefined;
  readonly part: StoredPart;
  readonly rules: MergeRules;
  readonly now: number;
  readonly renames: Renames;
  /** All items of the batch by key. */
  readonly items: ReadonlyMap<string, readonly Item[]>;
}

export interface Incoming {
  readonly parsed: ParsedRecord;
  readonly standing: Precedence;
  /** The record as the importer returned it; none if it was in the vault and loses its key. */
  readonly source: ImportedRecord | undefined;
}

type StoredAs = "stored" | "changed" | "unchanged" | "deleted";

export async function writeRound(context: RoundContext, round: ReadonlyMap<string, Incoming>): Promise<StoredAs[]> {
  if (round.size === 0) return [];
  const { on, target, part, rules, now, renames } = context;
  const keys = [...round.keys()];
  const held = await loadRecordTexts(on, target, keys);
  // A shared record that an earlier part of the memory read is an older version of it.
  const before = await loadLinks(on, target, keys, rules.is_shared === true);
  const forgotten = new Set<number>();
  /** The memory of the export that no longer has the last word about a record must not skip it. */
  const forget = (memoryNo: number | null): void => {
    if (memoryNo !== null) forgotten.add(memoryNo);
  };
  const siblings = await findSiblings(context, round, held);
  const links = new Map<string, Link>();
  const written: ParsedRecord[] = [];
  const displacing = new Set<ParsedRecord>();
  const renamed: Incoming[] = [];
  for (const [key, { parsed, standing, source }] of round) {
    const there = held.get(key);
    const link = before.get(key);
    const fresh = { ...standing, firstPart: part.partNo, lastPart: part.partNo, memoryNo: part.memoryNo };
    const isOther = link !== undefined && link.memoryNo !== part.memoryNo;
    const rename = (suffix: string): number =>
      renamed.push({ parsed: renameRecord(target, parsed, suffix), standing, source });
    /** Which of two records keeps the key depends on their contents, not on the order of imports. */
    const displace = async (form: RecordContent, heldAs: Precedence, suffix: string): Promise<void> => {
      const moved = renameRecord(target, { ...parsed, ...form }, suffix);
      await moveOwnedRecords(context, parsed.key, moved.key);
      renames.displace(parsed.key, moved.key);
      renamed.push({ parsed: moved, standing: heldAs, source: undefined });
      links.set(key, fresh);
      if (isOther) forget(link.memoryNo);
      written.push(parsed);
      displacing.add(parsed);
    };
    // Its link is deleted together with the record.
    if (parsed.op === "delete") {
      written.push(parsed);
      continue;
    }
    if (there === undefined) {
      links.set(key, fresh);
      written.push(parsed);
      continue;
    }
    if (rules.replaces === true) {
      if (link === undefined || there.text !== parsed.text)
        links.set(key, { ...fresh, firstPart: link?.firstPart ?? part.partNo });
      written.push(parsed);
      continue;
    }
    const form = { data: parseJsonObject(there.text), text: there.text };
    // A record that was not imported takes its precedence from its own `emitted_at`.
    const heldAs = link ?? { ...standing, changedAt: 0, exportedAt: there.emittedAt, fingerprint: "" };
    const [mine, theirs] = [computeIdentity(parsed.data, rules), computeIdentity(form.data, rules)];
    if (mine > theirs) {
      rename(mine);
      continue;
    }
    if (mine < theirs) {
      await displace(form, heldAs, theirs);
      continue;
    }
    const sibling = siblings.get(key);
    if (sibling?.isStored === true) {
      rename(sibling.digest);
      continue;
    }
    const isWithinExport =
      isSameExport(standing, heldAs) && (rules.is_single_version === true || standing.changedAt === heldAs.changedAt);
    const copy = isWithinExport ? findCopy(parsed.data, form.data, target, rules) : undefined;
    if (sibling !== undefined && isWithinExport && copy === undefined) {
      const other = computeContentDigest(form.data, target, rules);
      if (sibling.digest > other) rename(sibling.digest);
      else if (sibling.digest < other) await displace(form, heldAs, other);
      if (sibling.digest !== other) continue;
    }
    const last = pickNewer(standing, heldAs);
    if (sibling !== undefined && last !== standing && !isSameExport(standing, heldAs)) {
      const item = { data: parsed.data, changedAt: standing.changedAt };
      if (isOtherItem(item, form.data, context.items.get(key) ?? [], target, rules)) {
        rename(sibling.digest);
        continue;
      }
    }
    const data =
      copy === undefined
        ? mergeRecords(form, heldAs, parsed, standing, rules)
        : mergeFields(copy.fuller, copy.poorer, rules);
    const lastPart = last === standing ? part.partNo : (link?.lastPart ?? part.partNo);
    const latest = { ...last, firstPart: link?.firstPart ?? part.partNo, lastPart, memoryNo: part.memoryNo };
    if (isOther || link === undefined) forget(last === standing ? (link?.memoryNo ?? null) : part.memoryNo);
    if (link === undefined || !isSameLink(link, latest)) links.set(key, latest);
    written.push({ ...parsed, data, text: JSON.stringify(data) });
  }
  const outcomes = written.length === 0 ? [] : await writeRecords(on, target, written, now);
  await saveLinks(on, target, links);
  await forgetMemories(on, target.ownerNo, [...forgotten]);
  const moved = new Set(renamed.map(({ source }) => source));
  for (const { parsed, source } of round.values()) if (!moved.has(source)) renames.place(parsed.key, source);
  const results = outcomes.map((outcome, i): StoredAs => {
    const record = written[i];
    if (outcome === "deleted") return "deleted";
    const isNew = outcome === "created" || (record !== undefined && displacing.has(record));
    return isNew ? "stored" : outcome === "updated" ? "changed" : "unchanged";
  });
  for (const incoming of renamed) {
    const { distinct: _, ...others } = rules;
    const alone = new Map([[toIndexText(incoming.parsed.key), incoming]]);
    const became = await writeRound({ ...context, rules: others }, alone);
    if (incoming.source !== undefined) results.push(...became);
  }
  return results;
}

interface Sibling {
  readonly digest: string;
  /** The vault already has this item, under a key of its own. */
  readonly isStored: boolean;
}

/** For each record whose content differs from the stored one: the key that it has if it is another item. */
async function findSiblings(
  { on, target, rules }: RoundContext,
  round: ReadonlyMap<string, Incoming>,
  held: ReadonlyMap<string, { readonly text: string }>,
): Promise<Map<string, Sibling>> {
  const found = new Map<string, { digest: string; siblingKey: string }>();
  if (rules.is_shared === true || !canRename(target)) return new Map();
  for (const [key, { parsed }] of round) {
    const there = held.get(key);
    if (there === undefined || there.text === parsed.text) continue;
    const digest = computeContentDigest(parsed.data, target, rules);
    found.set(key, { digest, siblingKey: toIndexText(renameRecord(target, parsed, digest).key) });
  }
  if (found.size === 0) return new Map();
  const keys = [...found.values()].map(({ siblingKey }) => siblingKey);
  const stored = await loadRecordTexts(on, target, keys);
  return new Map(
    [...found].map(([key, { digest, siblingKey }]) => [key, { digest, isStored: stored.has(siblingKey) }]),
  );
}

const isSameLink = (a: Link, b: Link): boolean =>
  a.lastPart === b.lastPart &&
  a.changedAt === b.changedAt &&
  a.exportedAt === b.exportedAt &&
  a.importerVersion === b.importerVersion;
