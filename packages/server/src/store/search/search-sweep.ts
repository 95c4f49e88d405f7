import { type StreamRow, searchPlans } from "../catalog/catalog-rows.ts";
import { holdOwners } from "../catalog/hold-owner.ts";
import type { Engine, Writing } from "../engine/engine.ts";
import { all, raw, sql } from "../engine/sql.ts";

/** Clearing the word indexes of what only deleted records said: SQLite keeps such words until the index is merged. */

/** Called with every change that takes words out of an index of the stream. */
export async function noteWordsRemoved(on: Writing, streamNo: number): Promise<void> {
  await on.run(sql`UPDATE stream SET words_removed = words_removed + 1 WHERE stream_no = ${streamNo}`);
}

/** Sweeps every stream from which words were removed, in steps between which others can write. */
export async function sweepWords(engine: Engine): Promise<void> {
  const unswept = await engine.read((on) =>
    on.all<Unswept>(raw("SELECT stream_no, words_removed FROM stream WHERE words_removed > 0 ORDER BY stream_no")),
  );
  for (const stream of unswept) await sweepStream(engine, stream);
}

type Unswept = Pick<StreamRow, "stream_no" | "words_removed">;

async function sweepStream(engine: Engine, stream: Unswept): Promise<void> {
  const merged = new Map<string, "begun" | "done">();
  while (!(await engine.write((on) => sweepStep(on, engine, stream, merged))));
}

/** Merges a bit of one index, or, when all are merged, forgets the words that none of them has. Answers whether that is done. */
async function sweepStep(
  on: Writing,
  { dialect: { search } }: Engine,
  { stream_no, words_removed }: Unswept,
  merged: Map<string, "begun" | "done">,
): Promise<boolean> {
  const row = await on.one<StreamRow>(sql`SELECT * FROM stream WHERE stream_no = ${stream_no}`);
  const plans = row === undefined ? [] : searchPlans(row);
  const next = plans.find(({ name }) => merged.get(name) !== "done");
  if (next !== undefined) {
    const isDone = await search.settle(on, next, !merged.has(next.name));
    merged.set(next.name, isDone ? "done" : "begun");
    return false;
  }
  // While the owners are held, nobody adds a word that is about to be taken for unused.
  await holdOwners(on);
  const unused = plans.map((plan) => search.isUnused(plan));
  await on.run(sql`DELETE FROM search_form WHERE ${all([sql`stream_no = ${stream_no}`, ...unused])}`);
  // Words that were removed meanwhile are left for the next sweep.
  await on.run(
    sql`UPDATE stream SET words_removed = 0 WHERE stream_no = ${stream_no} AND words_removed = ${words_removed}`,
  );
  return true;
}
