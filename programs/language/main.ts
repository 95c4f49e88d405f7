// Measures how the project is written: `npm run check:language [-- FOLDER...] [--list comments|strings|names|docs] [--check]`.
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { findMarker } from "./markers.ts";
import { isAllowedNoun } from "./nouns.ts";
import { listFiles, readSource } from "./sources.ts";
import { startsWithVerb } from "./verbs.ts";

/** The share of sentences that may contain a marked phrase, which is sometimes the right one. */
const maxMarked = 0.03;

const root = fileURLToPath(new URL("../..", import.meta.url));
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { list: { type: "string" }, check: { type: "boolean" } },
});
const folders =
  positionals.length > 0
    ? positionals
    : [
        "packages",
        "programs",
        "scripts",
        "tests",
        "docs",
        "openspec/specs",
        "README.md",
        "CONTRIBUTING.md",
        "CHANGELOG.md",
        "SECURITY.md",
      ];
const sources = listFiles(root, folders, [".ts", ".tsx", ".js", ".mjs"]).map((file) => readSource(root, file));

const comments = sources.flatMap((source) => source.comments);
const strings = sources.flatMap((source) => source.strings);
const functions = sources.flatMap((source) => source.functions);
const paragraphs = listFiles(root, folders, [".md"]).flatMap((file) =>
  readFileSync(`${root}/${file}`, "utf8")
    .split("\n")
    .map((text, index) => ({ file, line: index + 1, text }))
    .filter(({ text }) => text.trim().length > 20),
);
const share = (part: number, all: number): string =>
  `${part} of ${all} (${all === 0 ? 0 : ((100 * part) / all).toFixed(1)}%)`;
const report = { comments, strings, docs: paragraphs };
const problems: string[] = [];
for (const [name, pieces] of Object.entries(report)) {
  const marked = pieces.filter(({ text }) => findMarker(text) !== undefined);
  console.log(`${name} in the old style: ${share(marked.length, pieces.length)}`);
  if (marked.length > pieces.length * maxMarked)
    problems.push(`too many ${name} in the old style; list them with --list ${name} and reword them`);
  if (values.list === name)
    for (const { file, line, text } of marked)
      console.log(`  ${file}:${line} [${findMarker(text)}] ${text.replaceAll(/\s+/g, " ").slice(0, 200)}`);
}
const exported = functions.filter(({ isExported }) => isExported);
console.log(
  `functions named with a verb: ${share(functions.filter(({ name }) => startsWithVerb(name)).length, functions.length)}`,
);
console.log(
  `exported functions named with a verb: ${share(exported.filter(({ name }) => startsWithVerb(name)).length, exported.length)}`,
);
if (values.list === "names")
  for (const { file, line, name, isExported } of functions)
    if (!startsWithVerb(name)) console.log(`  ${file}:${line} ${name}${isExported ? " (exported)" : ""}`);
for (const { file, line, name } of exported)
  if (file.startsWith("packages/") && !startsWithVerb(name) && !isAllowedNoun(file, name))
    problems.push(`${file}:${line} name the function ${name} with a verb, or allow it in programs/language/nouns.ts`);
if (values.check === true) {
  for (const problem of problems) console.error(problem);
  process.exitCode = problems.length === 0 ? 0 : 1;
}
