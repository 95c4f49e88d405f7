import { type Conversation, readLabelledStores } from "@pdpp/test-support/vaults/labelled-stores";
import { createVault, type EngineName } from "@pdpp/test-support/vaults/new-vault";
import {
  type Answer,
  askQuestions,
  askSet,
  computeRankFigure,
  type RankFigure,
} from "../../tests/search/labelled-questions.ts";
import { calculatePercentile } from "../bench/measure.ts";
import { type Column, count, formatPercent, formatTable } from "../measure/table.ts";
import { createPlainIndex } from "./plain-fts5.ts";

/** The labelled sets: the same questions to the vault on each engine and to a plain FTS5 table. */

export interface SetFigure extends RankFigure {
  readonly set: string;
  readonly by: EngineName | "plain FTS5";
  readonly p50_ms: number;
  readonly p95_ms: number;
  /** Questions that returned an error. */
  readonly refused: number;
}

const buildFigure = (set: string, by: SetFigure["by"], answers: readonly Answer[], refused: number): SetFigure => {
  const times = answers.map(({ ms }) => ms);
  return {
    set,
    by,
    ...computeRankFigure(answers),
    p50_ms: calculatePercentile(times, 50),
    p95_ms: calculatePercentile(times, 95),
    refused,
  };
};

export async function measureSet(
  set: string,
  folder: string,
  engine: EngineName,
  conversation?: Conversation,
): Promise<SetFigure> {
  const vault = await createVault(engine);
  try {
    const { answers, refused } = await askSet(vault.store, readLabelledStores(set, folder), conversation);
    return buildFigure(set, engine, answers, refused);
  } finally {
    await vault.drop();
  }
}

export async function measurePlain(set: string, folder: string): Promise<SetFigure> {
  const answers: Answer[] = [];
  for await (const { docs, queries } of readLabelledStores(set, folder)) {
    const index = createPlainIndex(docs);
    answers.push(...(await askQuestions(queries, index.find)));
    index.close();
  }
  return buildFigure(set, "plain FTS5", answers, 0);
}

const toNumberColumns = (columns: Record<string, (figure: SetFigure) => string>): Column<SetFigure>[] =>
  Object.entries(columns).map(([head, cell]) => ({ head, cell, number: true }));

const columns: readonly Column<SetFigure>[] = [
  { head: "set", cell: ({ set }) => set },
  { head: "asked of", cell: ({ by }) => by },
  ...toNumberColumns({
    questions: ({ questions, refused }) => `${count(questions)}${refused > 0 ? `, ${refused} refused` : ""}`,
    "recall@1": ({ recall_1 }) => formatPercent(recall_1),
    "recall@5": ({ recall_5 }) => formatPercent(recall_5),
    "recall@10": ({ recall_10 }) => formatPercent(recall_10),
    "hit@10": ({ hit_10 }) => formatPercent(hit_10),
    MRR: ({ mrr }) => mrr.toFixed(3),
    MAP: ({ map }) => map?.toFixed(3) ?? "",
    "p50 ms": ({ p50_ms }) => p50_ms.toFixed(1),
    "p95 ms": ({ p95_ms }) => p95_ms.toFixed(1),
  }),
];

export const setTable = (figures: readonly SetFigure[]): string => formatTable(columns, figures);
