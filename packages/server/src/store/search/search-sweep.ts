import { listSearchPlans, type StreamRow } from "../catalog/catalog-rows.ts";
import { lockAllOwners } from "../catalog/lock-owner.ts";
import type { Engine, WriteTransaction } from "../engine/engine.ts";
import { raw, sql } from "../engine/sql.ts";
import { sweepIndex } from "./merging.ts";

/** Purges the words of deleted records from word indexes, which otherwise keep them until their segments are merged. */

/** Must be called with every change that removes words from an index of the stream. */
export async function noteWordsRemoved(on: WriteTransaction, streamNo: number): Promise<void> {
  await on.run(sql`UPDATE stream SET words_removed = words_removed + 1 WHERE stream_no = ${streamNo}`);
}

/** Sweeps every stream from which words were removed. Other writers can run between the steps. */
export async function sweepWords(engine: Engine): Promise<void> {
  const unswept = await engine.read((on) =>
    on.all<UnsweptStream>(
      raw("SELECT stream_no, words_removed FROM stream WHERE words_removed > 0 ORDER BY stream_no"),
    ),
  );
  for (const stream of unswept)
    while (!(await engine.write((on) => sweepStep(on, stream)))) await engine.yieldToWriters();
}

type UnsweptStream = Pick<StreamRow, "stream_no" | "words_removed">;

/** Sweeps a little of one index of the stream. Returns whether nothing is left to sweep. */
async function sweepStep(on: WriteTransaction, { stream_no, words_removed }: UnsweptStream): Promise<boolean> {
  await lockAllOwners(on);
  const row = await on.one<StreamRow>(sql`SELECT * FROM stream WHERE stream_no = ${stream_no}`);
  for (const plan of row === undefined ? [] : listSearchPlans(row))
    if (!(await sweepIndex(on, plan.name))) return false;
  // If more words were removed since, the stream is left for the next sweep.
  await on.run(
    sql`UPDATE stream SET words_removed = 0 WHERE stream_no = ${stream_no} AND words_removed = ${words_removed}`,
  );
  return true;
}
