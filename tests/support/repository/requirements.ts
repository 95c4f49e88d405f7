import { existsSync, globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { findTestTitles } from "./test-titles.ts";

/** Which requirements the specs contain, and which of them tests name. */

export const repository = fileURLToPath(new URL("../../..", import.meta.url));

export interface Requirement {
  /** Null when the heading does not have exactly one id. */
  readonly id: string | null;
  readonly title: string;
  readonly file: string;
}

const read = (file: string): string => readFileSync(join(repository, file), "utf8");

const listFiles = (pattern: string): string[] =>
  globSync(pattern, { cwd: repository, exclude: (name) => name === "node_modules" }).sort();

export function readSpecRequirements(): Requirement[] {
  return listFiles("openspec/specs/**/spec.md").flatMap((file) => parseRequirements(read(file), file));
}

export function parseRequirements(spec: string, file: string): Requirement[] {
  return [...spec.matchAll(/^### Requirement: *(.*?) *$/gm)].map(([, heading = ""]) => {
    const [, id = null, title = heading] = /^\[([A-Z]+-\d+)\] (.+)$/.exec(heading) ?? [];
    return { id, title, file };
  });
}

/** Ids in brackets: `[HND-5] [WIN-3]` and `[LAD-1, LAD-2]`. */
export function parseIds(title: string): string[] {
  return [...title.matchAll(/\[([A-Z]+-\d+(?: *, *[A-Z]+-\d+)*)\]/g)].flatMap(([, ids = ""]) => ids.split(/ *, */));
}

export interface NamedTest {
  readonly file: string;
  readonly title: string;
}

/** Every id named in a test title, with the tests that name it. */
export function groupTestsById(): Map<string, NamedTest[]> {
  const found = new Map<string, NamedTest[]>();
  for (const file of listFiles("{packages,tests}/**/*.{ts,tsx}")) {
    const source = read(file);
    // A text search is much cheaper than parsing.
    if (parseIds(source).length === 0) continue;
    for (const title of findTestTitles(source, file.endsWith("x") ? "tsx" : "ts"))
      for (const id of parseIds(title)) found.set(id, [...(found.get(id) ?? []), { file, title }]);
  }
  return found;
}

/** The founding list is next to a developer's clone, not in the repository. The specs may contain more. */
export const listFile = "../shared/requirements.md";

export function readListedIds(): string[] | null {
  if (!existsSync(join(repository, listFile))) return null;
  return [...read(listFile).matchAll(/^- ([A-Z]+-\d+) /gm)].map(([, id]) => id!);
}

export interface Coverage {
  readonly requirements: readonly Requirement[];
  readonly untested: readonly Requirement[];
  /** Other problems, one sentence each. */
  readonly faults: readonly string[];
  readonly comparedWithList: boolean;
}

export function measureCoverage(): Coverage {
  const requirements = readSpecRequirements();
  const tested = groupTestsById();
  const listed = readListedIds();
  const ids = new Set(requirements.flatMap(({ id }) => id ?? []));
  return {
    requirements,
    untested: requirements.filter(({ id }) => id !== null && !tested.has(id)),
    faults: [
      ...requirements.filter(({ id }) => id === null).map(({ title, file }) => `${file}: no id in "${title}"`),
      ...requirements
        .filter(({ id }, i) => id !== null && requirements.findIndex((other) => other.id === id) !== i)
        .map(({ id, file }) => `${file}: ${id} appears twice`),
      ...[...tested]
        .filter(([id]) => !ids.has(id))
        .map(([id, tests]) => {
          const files = [...new Set(tests.map(({ file }) => file))];
          return `${files.join(", ")}: no requirement has the id ${id}`;
        }),
      ...(listed ?? []).filter((id) => !ids.has(id)).map((id) => `${listFile}: ${id} is not in the spec`),
    ],
    comparedWithList: listed !== null,
  };
}
