import { startPostgres } from "@pdpp/test-support/postgres/embedded-postgres";
import {
  hasLanguageCases,
  labelledFolder,
  listSets,
  readLanguageCases,
} from "@pdpp/test-support/vaults/labelled-stores";
import { runOptions } from "../run-options.ts";
import { measurePlain, measureSet, type SetFigure, setTable } from "./labelled.ts";
import { type LanguageFigure, languageTable, measureLanguages, measurePlainLanguages, missLines } from "./languages.ts";

const casesName = "language-cases";

const options = runOptions(
  `npm run retrieval -- [options]

  --set NAME         one set alone, such as qmsum, or ${casesName} (all)
  --folder DIR       where the sets are (../shared/retrieval): *.jsonl.gz with a store a line, and ${casesName}.json
  --engine NAME      sqlite, postgres or both (both)
  --context          says in the manifest that each store is one conversation
  --misses           tells which language cases were missed, and what was found instead
  --json             one JSON document

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
if (there.length === 0) options.refuse(`no set in ${folder}`);
if (wanted !== undefined && !there.includes(wanted)) options.refuse(`--set is ${there.join(" or ")}`);
const sets = there.filter((set) => wanted === undefined || set === wanted);

/** A store is one connection, and the whole of it one conversation. */
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
  ...(asked !== undefined ? [languageTable(languages)] : []),
  ...(asked !== undefined && options.has("misses")
    ? languages.filter(({ by }) => by !== "plain FTS5").flatMap((figure) => missLines(figure, asked))
    : []),
];
console.log(
  options.has("json")
    ? JSON.stringify({ context: conversation !== undefined, sets: figures, languages }, null, 2)
    : lines.join("\n\n"),
);
