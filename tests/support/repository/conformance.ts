import { readFileSync } from "node:fs";
import { groupTestsById, type NamedTest, parseIds, type Requirement, readSpecRequirements } from "./requirements.ts";

/**
 * `docs/conformance.md`: the founding requirements and those of the public spec, each with its status and a test. Statuses and deviations
 * are written by hand in `openspec/conformance.json`; headings and tests come from the specs and the test titles.
 */

export const conformanceFile = "docs/conformance.md";

interface Demand {
  /** Requirements of the public spec. */
  readonly demand: string;
  readonly status: "met" | "met differently" | "not offered";
  readonly ids: readonly string[];
  /** How we differ, or what we offer instead. */
  readonly note?: string;
}

interface Judgements {
  /** Founding requirements that are met differently, with the reason. */
  readonly founding: { readonly [id: string]: string };
  readonly public: readonly Demand[];
}

const readText = (path: string): string => readFileSync(new URL(`../../../${path}`, import.meta.url), "utf8");

export const readJudgements = (): Judgements => JSON.parse(readText("openspec/conformance.json"));

export const readFoundingIds = (): string[] =>
  readText("tests/spec/founding-requirements.txt")
    .trim()
    .split("\n")
    .map((heading) => heading.split(" ")[0]!);

const escapeCell = (text: string): string => text.replaceAll("|", "\\|").replaceAll("<", "&lt;");

const writeTest = ({ file, title }: NamedTest): string => `[${file}](../${file}): ${escapeCell(title)}`;

/** Keeps a linked test for as long as it exists, so that the page changes only when necessary. */
function chooseTests(id: string, tests: readonly NamedTest[], previous: string): NamedTest[] {
  const findPlace = (test: NamedTest): number => previous.indexOf(writeTest(test));
  const kept = tests.filter((test) =>
    [`${writeTest(test)}<br>`, `${writeTest(test)} |`].some((end) => previous.includes(end)),
  );
  if (kept.length > 0) return removeDuplicates(kept).sort((one, other) => findPlace(one) - findPlace(other));
  const rank = ({ file, title }: NamedTest): number =>
    (file.startsWith("tests/") ? 0 : 10) + parseIds(title).length * 2 + (parseIds(title)[0] === id ? 0 : 1);
  const best = [...tests].sort((a, b) => rank(a) - rank(b) || (a.file < b.file ? -1 : 1));
  const [first] = best;
  const second = best.find(({ file }) => file !== first?.file);
  return [first, second].filter((test) => test !== undefined);
}

const removeDuplicates = (tests: readonly NamedTest[]): NamedTest[] => [
  ...new Map(tests.map((test) => [writeTest(test), test])).values(),
];

/** Renders the page. Throws when a judgement names an unknown requirement. */
export function writeConformance(previous: string, judgements = readJudgements()): string {
  const requirements = new Map(readSpecRequirements().flatMap((each) => (each.id === null ? [] : [[each.id, each]])));
  const tests = groupTestsById();
  const rows = new Map(previous.split("\n").map((line) => [/^\| \[?([A-Z]+-\d+)\b/.exec(line)?.[1], line]));
  const findRequirement = (id: string): Requirement => {
    const found = requirements.get(id);
    if (found === undefined) throw new Error(`openspec/conformance.json: unknown requirement ${id}`);
    return found;
  };
  const formatRow = (id: string, status: string): string => {
    const { title, file } = findRequirement(id);
    const links = chooseTests(id, tests.get(id) ?? [], rows.get(id) ?? "").map(writeTest);
    return `| [${id}](../${file}) | ${escapeCell(title)} | ${status} | ${links.join("<br>")} |`;
  };
  const founding = readFoundingIds();
  for (const id of Object.keys(judgements.founding))
    if (!founding.includes(id)) throw new Error(`openspec/conformance.json: ${id} is not a founding requirement`);
  const areas = Map.groupBy(founding, (id) => findRequirement(id).file);
  return [
    "# Conformance",
    "",
    "What the founding documents and the public protocol ask for, and what this product does. *Met* means as written; *met differently* means that",
    "the purpose is met another way, with the reason; *not offered* means that a client gets an error or nothing. Each requirement links to its text and to",
    "tests that name it; `npm run coverage:requirements` lists all tests. The specs in `openspec/specs` hold more requirements than these.",
    "",
    "Do not edit this page. Write judgements into `openspec/conformance.json` and run `npm run conformance`.",
    "",
    "## The public protocol's text of August 2026, beyond the founding documents",
    "",
    ...judgements.public.flatMap(({ demand, status, ids, note }) => [
      `### ${demand}`,
      "",
      `**${status[0]!.toUpperCase()}${status.slice(1)}.**${note === undefined ? "" : ` ${note}`}`,
      "",
      ...(ids.length === 0 ? [] : [...head, ...ids.map((id) => formatRow(id, status)), ""]),
    ]),
    "## Founding requirements",
    "",
    `${founding.length} requirements: ${founding.length - Object.keys(judgements.founding).length} met, ${Object.keys(judgements.founding).length} met differently, none left out.`,
    "",
    ...[...areas].flatMap(([file, ids]) => {
      const notes = ids.flatMap((id) =>
        judgements.founding[id] === undefined ? [] : [`- ${id}: ${judgements.founding[id]}`],
      );
      const name = readText(file).split("\n")[0]!.replace(/^# /, "");
      return [
        `### ${name}`,
        "",
        ...head,
        ...ids.map((id) => formatRow(id, judgements.founding[id] === undefined ? "met" : "met differently")),
        "",
        ...(notes.length === 0 ? [] : [...notes, ""]),
      ];
    }),
  ]
    .join("\n")
    .trimEnd()
    .concat("\n");
}

const head = ["| requirement | | status | tests |", "|---|---|---|---|"];
