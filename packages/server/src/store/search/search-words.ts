import type { JsonObject } from "@pdpp/contract/declaration";
import type { Clause } from "@pdpp/evidence/query";
import { eachWord, stemOf } from "@pdpp/evidence/words";
import type { Dialect, Reading, Writing } from "../engine/engine.ts";
import { sql } from "../engine/sql.ts";
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
  await rememberForms(on, documents);
}

async function rememberForms(on: Writing, documents: readonly IndexedDocument[]): Promise<void> {
  const seen = new Set<string>();
  const forms: [string, string][] = [];
  for (const { words } of documents) {
    for (const list of words) {
      for (const form of list) {
        if (seen.has(form)) continue;
        seen.add(form);
        const stem = stemOf(form);
        if (stem !== form) forms.push([stem, form]);
      }
    }
  }
  const columns = [
    { name: "stem", type: "text" },
    { name: "form", type: "text" },
  ] as const;
  await on.insert("search_form", columns, forms, "passed over");
}

/** A clause as it stands in the index: the form asked for, and the word's other forms. */
export async function termsOf(on: Reading, clause: Clause): Promise<{ exact: Term; related: Term | undefined }> {
  if (clause.kind !== "word") return { exact: clause, related: undefined };
  const rows = await on.all<{ form: string }>(
    sql`SELECT form FROM search_form WHERE stem = ${clause.stem} ORDER BY form LIMIT 1000`,
  );
  const others = new Set([clause.stem, ...rows.map(({ form }) => form)]);
  others.delete(clause.form);
  return {
    exact: { kind: "forms", forms: [clause.form] },
    related: others.size === 0 ? undefined : { kind: "forms", forms: [...others] },
  };
}
