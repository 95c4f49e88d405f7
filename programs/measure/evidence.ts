import { askDemo } from "../../tests/evidence/demo-set.ts";
import { type Asked, type EvidenceFigure, figureOf } from "../../tests/evidence/figures.ts";
import { askLabelled } from "../../tests/evidence/labelled-sets.ts";
import { type ShownHit, wordsOfHit } from "../../tests/evidence/shown-hits.ts";
import { hostClasses } from "../../tests/mcp/hosts/host-classes.ts";
import { hasLabelledStores, labelledSets } from "../../tests/support/retrieval.ts";
import { type Column, count, percent, tableOf } from "./table.ts";

/** The two figures of evidence: what a page shows of the words that were found, and how often the answer is visible. */

export interface EvidenceReport {
  readonly figures: readonly EvidenceFigure[];
  /** Questions about the demo whose answer is in a record on the first page and cannot be read there. */
  readonly misses: readonly Miss[];
  readonly skipped: string | undefined;
}

interface Miss {
  readonly q: string;
  readonly one_call: boolean;
  /** What is shown of the records that have the answer. */
  readonly shown: readonly string[];
}

const forms = hostClasses.filter(({ name }) => name === "content-only" || name === "structured-only");

export async function measureEvidence(): Promise<EvidenceReport> {
  const figures: EvidenceFigure[] = [];
  const demo = await askDemo(forms, true);
  for (const [host, asked] of demo) figures.push(figureOf("demo", host.name, asked));
  for (const set of hasLabelledStores ? labelledSets : [])
    for (const [host, asked] of await askLabelled(set, forms)) figures.push(figureOf(set, host.name, asked));
  const [text] = demo.values();
  return {
    figures,
    misses: missesOf(text ?? []),
    skipped: hasLabelledStores ? undefined : `${labelledSets.join(" and ")}: ../shared/retrieval is not there`,
  };
}

const missesOf = (asked: readonly Asked[]): Miss[] =>
  asked
    .filter(({ found, atOnce }) => found && !atOnce)
    .map(({ question, hits, oneCall }) => ({
      q: question.q,
      one_call: oneCall,
      shown: hits.filter(({ id }) => question.holds(id)).map(shownOf),
    }));

const shownOf = (hit: ShownHit): string =>
  `${wordsOfHit(hit)}\n-> ${hit.call?.tool} ${JSON.stringify(hit.call?.arguments)}`;

/** Less than this, and `npm run measure` fails. */
export const floors: { readonly [set: string]: Partial<EvidenceFigure> } = {
  demo: { words_shown: 0.95, at_once: 0.7, one_call: 0.74 },
  "longmemeval-dev": { words_shown: 0.95, at_once: 0.74, one_call: 0.74 },
  qmsum: { words_shown: 0.95, at_once: 0.72, one_call: 0.72 },
};

export function evidenceFaults({ figures }: EvidenceReport): string[] {
  return figures.flatMap(({ set, host, ...figure }) =>
    (["words_shown", "found", "at_once", "one_call"] as const).flatMap((name) => {
      const floor = floors[set]?.[name];
      if (floor === undefined || figure[name] >= floor) return [];
      return [`${set}, ${host}: ${name} ${percent(figure[name])} is under ${percent(floor)}`];
    }),
  );
}

const columns: readonly Column<EvidenceFigure>[] = [
  { head: "questions", cell: ({ set, questions }) => `${set} (${questions})` },
  { head: "host shows", cell: ({ host }) => host },
  { head: "words shown", cell: ({ words_shown }) => percent(words_shown), number: true },
  {
    head: "hits that repeat the head",
    cell: ({ repeats, hits }) => `${count(repeats)} of ${count(hits)}`,
    number: true,
  },
  { head: "record found", cell: ({ found }) => percent(found), number: true },
  { head: "answer visible", cell: ({ at_once }) => percent(at_once), number: true },
  { head: "within one call", cell: ({ one_call }) => percent(one_call), number: true },
];

export const evidenceLines = ({ figures, skipped, misses }: EvidenceReport, withMisses: boolean): string[] => [
  tableOf(columns, figures),
  ...(skipped === undefined ? [] : [`Skipped: ${skipped}.`]),
  ...(withMisses
    ? misses.map(({ q, one_call, shown }) => [`${q} (${one_call ? "one call" : "not"})`, ...shown].join("\n"))
    : []),
];
