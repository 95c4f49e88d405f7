import type { JsonObject } from "@pdpp/contract/declaration";
import type { Clause } from "@pdpp/evidence/query";
import { eachWord, stemOf } from "@pdpp/evidence/words";
import type { Column, Dialect, Reading, Writing } from "../engine/engine.ts";
import { type SqlValue, sql } from "../engine/sql.ts";
import type { IndexedDocument, SearchPlan, Term } from "./search-index.ts";

/** Words on their way into an index and back: records become documents, and the forms a word takes are remembered by its stem. */

export interface NewDocument {
  readonly ownerNo: number;
  readonly connectionNo: number;
  readonly doc: number;
  readonly data: JsonObject;
}

function wordsIn(data: JsonObject, field: string): string[] {
  const value = Object.hasOwn(data, field) ? data[field] : undefined;
  const words: string[] = [];
  if (typeof value === "string") eachWord(value, (form) => words.push(form));
  return words;
}

export async function addDocuments(
  on: Writing,
  dialect: Dialect,
  plan: SearchPlan,
  streamNo: number,
  added: readonly NewDocument[],
): Promise<void> {
  const documents = added.map(
    ({ ownerNo, connectionNo, doc, data }): IndexedDocument => ({
      ownerNo,
      connectionNo,
      doc,
      words: plan.fields.map((field) => wordsIn(data, field)),
    }),
  );
  await dialect.search.add(on, plan, documents);
  for (const [ownerNo, list] of Map.groupBy(documents, ({ ownerNo }) => ownerNo)) {
    await rememberForms(on, ownerNo, streamNo, list);
  }
}

const formColumns: readonly Column[] = [
  { name: "owner_no", type: "integer" },
  { name: "stem", type: "text" },
  { name: "form", type: "text" },
  { name: "stream_no", type: "integer" },
];

async function rememberForms(
  on: Writing,
  ownerNo: number,
  streamNo: number,
  documents: readonly IndexedDocument[],
): Promise<void> {
  const seen = new Set<string>();
  const forms: SqlValue[][] = [];
  for (const { words } of documents) {
    for (const list of words) {
      for (const form of list) {
        if (seen.has(form)) continue;
        seen.add(form);
        const stem = stemOf(form);
        if (stem !== form) forms.push([ownerNo, stem, form, streamNo]);
      }
    }
  }
  await on.insert("search_form", formColumns, forms, "ignore");
}

/** A clause as it stands in the index: the form asked for, and the word's other forms. */
export async function termsOf(
  on: Reading,
  ownerNo: number,
  clause: Clause,
): Promise<{ exact: Term; related: Term | undefined }> {
  if (clause.kind !== "word") return { exact: clause, related: undefined };
  const rows = await on.all<{ form: string }>(
    sql`SELECT DISTINCT form FROM search_form WHERE owner_no = ${ownerNo} AND stem = ${clause.stem} ORDER BY form LIMIT 1000`,
  );
  const others = new Set([clause.stem, ...rows.map(({ form }) => form)]);
  others.delete(clause.form);
  return {
    exact: { kind: "forms", forms: [clause.form] },
    related: others.size === 0 ? undefined : { kind: "forms", forms: [...others] },
  };
}
