import { startPostgres } from "@pdpp/test-support/postgres/embedded-postgres";
import {
  hasLanguageCases,
  labelledFolder,
  listSets,
  readLanguageCases,
} from "@pdpp/test-support/vaults/labelled-stores";
import { parseRunOptions } from "../run-options.ts";
import { measurePlain, measureSet, type SetFigure, setTable } from "./labelled.ts";
import {
  formatLanguageTable,
  formatMisses,
  type LanguageFigure,
  measureLanguages,
  measurePlainLanguages,
} from "./languages.ts";

const casesName = "language-cases";

const options = parseRunOptions(
  `npm run retrieval -- [options]

  --set NAME         only this set, such as qmsum, or ${casesName} (all)
  --folder DIR       folder of the sets (default: ../shared/retrieval): *.jsonl.gz with one store per line, and ${casesName}.json
  --engine NAME      sqlite, postgres or both (default: both)
  --context          declare each store as one conversation
  --misses           list the language cases that failed, and what was found instead
  --json             print one JSON document

  npm run retrieval -- --set qmsum --context
  npm run retrieval -- --set ${casesName} --engine sqlite --misses`,
  {
    set: { type: "string", word: true },
    folder: { type: "string", word: true },
    context: { type: "boolean" },
    misses: { type: "boolean" },
    json: { type: "boolean" },
  },
  "both",
);

const folder = options.word("folder") ?? labelledFolder;
const there = [...listSets(folder), ...(hasLanguageCases(folder) ? [casesName] : [])];
const wanted = options.word("set");
if (there.length === 0) options.refuse(`no sets in ${folder}`);
if (wanted !== undefined && !there.includes(wanted)) options.refuse(`--set must be ${there.join(" or ")}`);
const sets = there.filter((set) => wanted === undefined || set === wanted);

/** A store is one connection and one conversation. */
const conversation = options.has("context") ? { by: "ts" } : undefined;

const server = options.engines.includes("postgres")
  ? await startPostgres("-c", "fsync=off", "-c", "synchronous_commit=off")
  : undefined;
if (server !== undefined) process.env.PDPP_TEST_POSTGRES = server.url;
const note = (text: string) => process.stderr.write(`${text}\n`);
const figures: SetFigure[] = [];
const languages: LanguageFigure[] = [];
const asked = sets.includes(casesName) ? readLanguageCases(folder) : undefined;
try {
  for (const set of sets.filter((name) => name !== casesName)) {
    note(`${set} ...`);
    for (const engine of options.engines) figures.push(await measureSet(set, folder, engine, conversation));
    figures.push(await measurePlain(set, folder));
  }
  if (asked !== undefined) {
    note(`${casesName} ...`);
    for (const engine of options.engines) languages.push(await measureLanguages(asked, engine));
    languages.push(await measurePlainLanguages(asked));
  }
} finally {
  await server?.stop();
}

const lines = [
  ...(figures.length > 0 ? [setTable(figures)] : []),
  ...(asked !== undefined ? [formatLanguageTable(languages)] : []),
  ...(asked !== undefined && options.has("misses")
    ? languages.filter(({ by }) => by !== "plain FTS5").flatMap((figure) => formatMisses(figure, asked))
    : []),
];
console.log(
  options.has("json")
    ? JSON.stringify({ context: conversation !== undefined, sets: figures, languages }, null, 2)
    : lines.join("\n\n"),
);
