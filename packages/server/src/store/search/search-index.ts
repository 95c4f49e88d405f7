import type { StreamDeclaration } from "@pdpp/contract/declaration";
import type { Reading, Writing } from "../engine/engine.ts";
import type { Sql } from "../engine/sql.ts";

/** The word index of a stream: one document per current record, known by the record's version, with a part per searchable field. */
export interface SearchPlan {
  /** Names the index's tables. */
  readonly name: string;
  readonly fields: readonly string[];
}

export interface IndexedDocument {
  readonly ownerNo: number;
  readonly connectionNo: number;
  readonly doc: number;
  /** The words of each field, in order. */
  readonly words: readonly (readonly string[])[];
}

/** Which documents may be found, and in which of the plan's fields. */
export interface SearchScope {
  readonly ownerNo: number;
  readonly fields: readonly number[];
  /** What must hold of the record beside its connection; with a table to join for it. Empty: every document of the stream. */
  readonly limit: { readonly table: Sql; readonly conditions: readonly Sql[] } | undefined;
  readonly connectionNos: readonly number[] | undefined;
  /** Documents that came later are not there yet. */
  readonly upTo: number;
}

/** A clause with the forms that the vault's words give it. */
export type Term =
  | { readonly kind: "forms"; readonly forms: readonly string[] }
  | { readonly kind: "prefix"; readonly prefix: string }
  | { readonly kind: "phrase"; readonly forms: readonly string[] };

/** Documents that are asked about, and the place of each among them. */
export interface Asked {
  readonly docs: readonly number[];
  readonly places: ReadonlyMap<number, number>;
}

export function askedFor(docs: readonly number[]): Asked {
  const places = new Map<number, number>();
  for (const doc of docs) places.set(doc, places.size);
  return { docs, places };
}

/** A number for each field of the plan, document after document as they were asked about. */
export type FieldNumbers = number[];

export const zeros = (size: number): number[] => new Array<number>(size).fill(0);

export const noNumbers = (plan: SearchPlan, { docs }: Asked): FieldNumbers => zeros(docs.length * plan.fields.length);

interface Newest {
  readonly docs: readonly number[];
  /** How many hold the term, those beyond the limit included. */
  readonly count: number;
}

/** All documents that hold a clause's terms, oldest first: how often they hold which, and how long their fields are. */
export interface Postings {
  readonly docs: readonly number[];
  readonly exact: FieldNumbers;
  readonly related: FieldNumbers | undefined;
  readonly lengths: FieldNumbers | undefined;
}

export interface SearchEngine {
  create(plan: SearchPlan): Sql[];
  drop(plan: SearchPlan): Sql[];
  add(on: Writing, plan: SearchPlan, documents: readonly IndexedDocument[]): Promise<void>;
  remove(on: Writing, plan: SearchPlan, ownerNo: number, docs: readonly number[]): Promise<void>;
  /** Clears the index of words that only removed documents had, a bit at a time; answers whether that is done. */
  settle(on: Writing, plan: SearchPlan, isFirst: boolean): Promise<boolean>;
  /** True of the rows of `search_form` whose word is in no document of its owner. */
  isUnused(plan: SearchPlan): Sql;
  removeConnection(on: Writing, plan: SearchPlan, ownerNo: number, connectionNo: number): Promise<void>;
  /** The newest documents of the scope that hold the term, and how many there are. */
  newest(on: Reading, plan: SearchPlan, scope: SearchScope, term: Term, limit: number): Promise<Newest>;
  /** What ranking needs to know of terms that stand in few places; null when there are more than `most`. Where it pays. */
  readonly postings?: (
    on: Reading,
    plan: SearchPlan,
    scope: SearchScope,
    terms: { readonly exact: Term; readonly related: Term | undefined },
    most: number,
    withLengths: boolean,
  ) => Promise<Postings | null>;
  /** How often the words of a term occur in these documents. */
  occurrences(
    on: Reading,
    plan: SearchPlan,
    scope: SearchScope,
    forms: readonly string[],
    asked: Asked,
  ): Promise<FieldNumbers>;
  /** Which fields of these documents hold a term: one for each that does. It costs little however common the term is. */
  presence(on: Reading, plan: SearchPlan, scope: SearchScope, term: Term, asked: Asked): Promise<FieldNumbers>;
  /** How many words each field of these documents has. */
  lengths(on: Reading, plan: SearchPlan, ownerNo: number, asked: Asked): Promise<FieldNumbers>;
  /** How many words each field has on average, over the newest documents of the scope. */
  usualLengths(on: Reading, plan: SearchPlan, scope: SearchScope, sample: number): Promise<number[]>;
}

export function searchableFields(stream: StreamDeclaration): string[] {
  return stream.fields.filter((field) => field.lexical).map((field) => field.name);
}
