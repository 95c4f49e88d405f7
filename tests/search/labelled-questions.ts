import { PdppError } from "@pdpp/contract/errors";
import type { ReadApi } from "@pdpp/contract/operations";
import type { Store } from "@pdpp/server/store/store";
import {
  type Conversation,
  type LabelledStore,
  type LanguageCase,
  loadTurns,
  openReader,
  registerTurns,
} from "@pdpp/test-support/vaults/labelled-stores";

/** Runs labelled questions and measures how good the results are. */

/** The ids of the records found, best first. */
export type Finder = (q: string, limit: number) => Promise<readonly string[]> | readonly string[];

/** A rejected question finds nothing, and is counted in `refused`. */
export const createFinder =
  (reader: ReadApi, refused: () => void = () => undefined): Finder =>
  async (q, limit) => {
    try {
      return (await reader.search({ q, limit })).data.map(({ record_key }) => record_key);
    } catch (error) {
      if (!(error instanceof PdppError)) throw error;
      refused();
      return [];
    }
  };

export interface Answer {
  readonly wanted: ReadonlySet<string>;
  /** The first hundred. */
  readonly found: readonly string[];
  /** The time for a page of ten hits. */
  readonly ms: number;
}

const deepest = 100;
const onePage = 10;

export async function askQuestions(queries: LabelledStore["queries"], find: Finder): Promise<Answer[]> {
  const answers: Answer[] = [];
  for (const { q, gold } of queries) {
    const wanted = new Set(Object.keys(gold).filter((id) => gold[id]! > 0));
    // Without labels, no result is right or wrong.
    if (wanted.size === 0) continue;
    const before = performance.now();
    await find(q, onePage);
    const ms = performance.now() - before;
    answers.push({ wanted, found: await find(q, deepest), ms });
  }
  return answers;
}

/** Loads a whole set into one vault, then asks each question with a grant for its own store. */
export async function askSet(
  store: Store,
  stores: AsyncIterable<LabelledStore>,
  conversation?: Conversation,
): Promise<{ answers: Answer[]; refused: number }> {
  await registerTurns(store, conversation);
  const loaded: { token: string; queries: LabelledStore["queries"] }[] = [];
  for await (const one of stores) loaded.push({ token: await loadTurns(store, one), queries: one.queries });
  const answers: Answer[] = [];
  const refused = new Set<string>();
  for (const { token, queries } of loaded) {
    const reader = await openReader(store, token);
    for (const query of queries) {
      const find = createFinder(reader, () => refused.add(`${token} ${query.q}`));
      answers.push(...(await askQuestions([query], find)));
    }
  }
  return { answers, refused: refused.size };
}

export interface RankFigure {
  readonly questions: number;
  /** The share of a question's records among the first hits. */
  readonly recall_1: number;
  readonly recall_5: number;
  readonly recall_10: number;
  /** How often one of them is among the first ten. */
  readonly hit_10: number;
  /** Mean reciprocal rank, over the first hundred. */
  readonly mrr: number;
  /** Over the first hundred; null if every question has one record. */
  readonly map: number | null;
}

export function computeRankFigure(answers: readonly Answer[]): RankFigure {
  const mean = (of: (answer: Answer) => number): number =>
    answers.reduce((sum, answer) => sum + of(answer), 0) / answers.length;
  const within = ({ wanted, found }: Answer, first: number): number =>
    found.slice(0, first).filter((id) => wanted.has(id)).length;
  const recall = (first: number): number => mean((answer) => within(answer, first) / answer.wanted.size);
  return {
    questions: answers.length,
    recall_1: recall(1),
    recall_5: recall(5),
    recall_10: recall(10),
    hit_10: mean((answer) => (within(answer, 10) > 0 ? 1 : 0)),
    mrr: mean(computeReciprocalRank),
    map: answers.some(({ wanted }) => wanted.size > 1) ? mean(computeAveragePrecision) : null,
  };
}

function computeReciprocalRank({ wanted, found }: Answer): number {
  const first = found.findIndex((id) => wanted.has(id));
  return first < 0 ? 0 : 1 / (first + 1);
}

function computeAveragePrecision({ wanted, found }: Answer): number {
  let right = 0;
  let sum = 0;
  for (const [n, id] of found.entries()) {
    if (!wanted.has(id)) continue;
    right += 1;
    sum += right / (n + 1);
  }
  return sum / wanted.size;
}

export interface Missed {
  readonly asked: LanguageCase;
  readonly found: readonly string[];
}

/** The cases that fail. */
export async function findMissedCases(cases: readonly LanguageCase[], find: Finder): Promise<Missed[]> {
  const missed: Missed[] = [];
  for (const asked of cases) {
    const { q, expect, within, absent = [] } = asked;
    const found = await find(q, deepest);
    const first = found.slice(0, within);
    if (expect.every((id) => first.includes(id)) && !absent.some((id) => found.includes(id))) continue;
    missed.push({ asked, found });
  }
  return missed;
}
