import { hasLabelledStores, labelledSets } from "@pdpp/test-support/vaults/labelled-stores";
import { askDemo, openDemo } from "../../tests/evidence/demo-set.ts";
import { computeFigure, type EvidenceFigure, type JudgedQuestion } from "../../tests/evidence/figures.ts";
import {
  askEveryday,
  computeEverydayFigure,
  type EverydayAnswer,
  type EverydayFigure,
} from "../../tests/evidence/first-page.ts";
import { askLabelled } from "../../tests/evidence/labelled-sets.ts";
import { getHitWords, type ShownHit } from "../../tests/evidence/shown-hits.ts";
import { unseenQuestions } from "../../tests/evidence/unseen-questions.ts";
import { hostClasses } from "../../tests/mcp/hosts/host-classes.ts";
import { type Column, count, formatPercent, formatTable } from "./table.ts";

/** The two evidence figures: how much of the matching text a page shows, and how often the answer is visible. */

export interface EvidenceReport {
  readonly figures: readonly EvidenceFigure[];
  readonly everyday: readonly EverydayFigure[];
  /** Questions about the demo whose answer is in a record on the first page but is not visible there. */
  readonly misses: readonly Miss[];
  readonly skipped: string | undefined;
}

interface Miss {
  readonly q: string;
  readonly one_call: boolean;
  /** The visible part of the records that have the answer. */
  readonly shown: readonly string[];
}

const forms = hostClasses.filter(({ name }) => name === "content-only" || name === "structured-only");

export async function measureEvidence(): Promise<EvidenceReport> {
  const figures: EvidenceFigure[] = [];
  const world = await openDemo();
  const demo = await askDemo(world, forms, true);
  for (const [host, asked] of demo) figures.push(computeFigure("demo", host.name, asked));
  for (const [host, asked] of await askDemo(world, forms, true, unseenQuestions))
    figures.push(computeFigure("demo-unseen", host.name, asked));
  const everyday = new Map<string, EverydayAnswer[]>();
  for (const host of forms) everyday.set(host.name, await askEveryday(world, host));
  await world.close();
  for (const set of hasLabelledStores ? labelledSets : [])
    for (const [host, asked] of await askLabelled(set, forms)) figures.push(computeFigure(set, host.name, asked));
  const [text] = demo.values();
  return {
    figures,
    everyday: [...everyday].map(([host, answers]) => computeEverydayFigure(host, answers)),
    misses: [...findMisses(text ?? []), ...findEverydayMisses(everyday.get("content-only") ?? [])],
    skipped: hasLabelledStores ? undefined : `${labelledSets.join(" and ")}: ../shared/retrieval not found`,
  };
}

const findMisses = (asked: readonly JudgedQuestion[]): Miss[] =>
  asked
    .filter(({ found, atOnce }) => found && !atOnce)
    .map(({ question, hits, oneCall }) => ({
      q: question.q,
      one_call: oneCall,
      shown: hits.filter(({ id }) => question.holds(id)).map(formatHit),
    }));

const findEverydayMisses = (answers: readonly EverydayAnswer[]): Miss[] =>
  answers
    .filter(({ isVisible }) => !isVisible)
    .map(({ question, shown, isMisleading }) => ({
      q: `${question.question}${isMisleading ? " (misleading)" : ""}`,
      one_call: false,
      shown: [shown],
    }));

const formatHit = (hit: ShownHit): string =>
  `${getHitWords(hit)}\n-> ${hit.call?.tool} ${JSON.stringify(hit.call?.arguments)}`;

/** Minimum values; below them, `npm run measure` fails. */
export const floors: { readonly [set: string]: Partial<EvidenceFigure> } = {
  demo: { words_shown: 0.95, at_once: 0.85, one_call: 0.85 },
  "demo-unseen": { words_shown: 0.95, at_once: 0.62, one_call: 0.62 },
  "longmemeval-dev": { words_shown: 0.95, at_once: 0.74, one_call: 0.74 },
  qmsum: { words_shown: 0.95, at_once: 0.72, one_call: 0.72 },
};

/** The first page for everyday questions: minimum number of visible answers, maximum number of misleading pages and bare titles. */
const everydayLimits = { visible: 21, misleading: 0, title_only: 5 } as const;

export const findEvidenceProblems = ({ figures, everyday }: EvidenceReport): string[] => [
  ...findFloorProblems(figures),
  ...findEverydayProblems(everyday),
];

const findEverydayProblems = (everyday: readonly EverydayFigure[]): string[] =>
  everyday.flatMap(({ host, visible, misleading, title_only }) => [
    ...(visible >= everydayLimits.visible ? [] : [`everyday, ${host}: ${visible} answers visible`]),
    ...(misleading <= everydayLimits.misleading ? [] : [`everyday, ${host}: ${misleading} misleading numbers`]),
    // Structured content has no lines that would reveal a bare title.
    ...(host !== "content-only" || title_only <= everydayLimits.title_only
      ? []
      : [`everyday, ${host}: ${title_only} bare titles`]),
  ]);

function findFloorProblems(figures: readonly EvidenceFigure[]): string[] {
  return figures.flatMap(({ set, host, ...figure }) =>
    (["words_shown", "found", "at_once", "one_call"] as const).flatMap((name) => {
      const floor = floors[set]?.[name];
      if (floor === undefined || figure[name] >= floor) return [];
      return [`${set}, ${host}: ${name} ${formatPercent(figure[name])} is under ${formatPercent(floor)}`];
    }),
  );
}

const columns: readonly Column<EvidenceFigure>[] = [
  { head: "questions", cell: ({ set, questions }) => `${set} (${questions})` },
  { head: "host shows", cell: ({ host }) => host },
  { head: "words shown", cell: ({ words_shown }) => formatPercent(words_shown), number: true },
  {
    head: "hits that repeat the head",
    cell: ({ repeats, hits }) => `${count(repeats)} of ${count(hits)}`,
    number: true,
  },
  { head: "record found", cell: ({ found }) => formatPercent(found), number: true },
  { head: "answer visible", cell: ({ at_once }) => formatPercent(at_once), number: true },
  { head: "within one call", cell: ({ one_call }) => formatPercent(one_call), number: true },
];

const everydayColumns: readonly Column<EverydayFigure>[] = [
  { head: "everyday questions", cell: ({ questions }) => count(questions), number: true },
  { head: "host shows", cell: ({ host }) => host },
  { head: "answer visible", cell: ({ visible, questions }) => `${visible} of ${questions}`, number: true },
  { head: "misleading numbers", cell: ({ misleading }) => count(misleading), number: true },
  {
    head: "bare titles",
    cell: ({ host, title_only, hits }) => (host === "content-only" ? `${title_only} of ${hits}` : ""),
    number: true,
  },
];

export const formatEvidence = (
  { figures, everyday, skipped, misses }: EvidenceReport,
  withMisses: boolean,
): string[] => [
  formatTable(columns, figures),
  formatTable(everydayColumns, everyday),
  ...(skipped === undefined ? [] : [`Skipped: ${skipped}.`]),
  ...(withMisses
    ? misses.map(({ q, one_call, shown }) => [`${q} (${one_call ? "one call" : "not"})`, ...shown].join("\n"))
    : []),
];
