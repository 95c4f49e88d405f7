import { type LanguageCases, loadNotesReader } from "@pdpp/test-support/vaults/labelled-stores";
import { createVault, type EngineName } from "@pdpp/test-support/vaults/new-vault";
import { createFinder, findMissedCases, type Missed } from "../../tests/search/labelled-questions.ts";
import { type Column, formatPercent, formatTable } from "../measure/table.ts";
import { createPlainIndex } from "./plain-fts5.ts";

/** The language cases: how many give the expected result, by class. */

export interface LanguageFigure {
  readonly by: EngineName | "plain FTS5";
  readonly found: number;
  readonly cases: number;
  readonly classes: readonly { readonly class: string; readonly found: number; readonly cases: number }[];
  readonly missed: readonly Missed[];
}

export async function measureLanguages(asked: LanguageCases, engine: EngineName): Promise<LanguageFigure> {
  const vault = await createVault(engine);
  try {
    const reader = await loadNotesReader(vault.store, asked);
    return buildFigure(asked, engine, await findMissedCases(asked.cases, createFinder(reader)));
  } finally {
    await vault.drop();
  }
}

export async function measurePlainLanguages(asked: LanguageCases): Promise<LanguageFigure> {
  const index = createPlainIndex(asked.records);
  const missed = await findMissedCases(asked.cases, index.find);
  index.close();
  return buildFigure(asked, "plain FTS5", missed);
}

function buildFigure({ cases }: LanguageCases, by: LanguageFigure["by"], missed: readonly Missed[]): LanguageFigure {
  const classes = [...Map.groupBy(cases, ({ class: name }) => name)].map(([name, all]) => ({
    class: name,
    found: all.length - missed.filter(({ asked }) => asked.class === name).length,
    cases: all.length,
  }));
  return { by, found: cases.length - missed.length, cases: cases.length, classes, missed };
}

export function formatLanguageTable(figures: readonly LanguageFigure[]): string {
  const [first] = figures;
  const rows = [...(first?.classes.map((one) => one.class) ?? []), "all"];
  const formatCell = (figure: LanguageFigure, name: string): string => {
    const { found, cases } = name === "all" ? figure : figure.classes.find((one) => one.class === name)!;
    return name === "all" ? `${found} of ${cases}, ${formatPercent(found / cases)}` : `${found} of ${cases}`;
  };
  const columns: Column<string>[] = [
    { head: "language cases", cell: (name) => name },
    ...figures.map((figure) => ({ head: figure.by, cell: (name: string) => formatCell(figure, name), number: true })),
  ];
  return formatTable(columns, rows);
}

export function formatMisses({ by, missed }: LanguageFigure, { records }: LanguageCases): string[] {
  const textOf = new Map(records.map(({ id, text }) => [id, text]));
  const formatRecords = (ids: readonly string[]): string =>
    ids.length === 0 ? "nothing" : ids.map((id) => `${id} "${textOf.get(id)}"`).join(", ");
  return missed.map(({ asked: { class: name, q, expect, within, absent = [] }, found }) =>
    [
      `${by}, ${name}: ${q}`,
      `  expected in the first ${within}: ${formatRecords(expect)}`,
      ...(absent.length === 0 ? [] : [`  must not match: ${formatRecords(absent)}`]),
      `  found: ${formatRecords(found.slice(0, 5))}${found.length > 5 ? ` and ${found.length - 5} more` : ""}`,
    ].join("\n"),
  );
}
