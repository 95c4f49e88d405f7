import { canRead, matchVisible, type StreamScope, table } from "../access/scope.ts";
import { findConversationColumns } from "../catalog/layout.ts";
import { joinAnd, raw, type Sql, sql, unionAll } from "../engine/sql.ts";
import type { Searching, Sheet } from "./sheet.ts";
import type { SearchedStream, Source } from "./sources.ts";

/**
 * In a conversation a record means something with those before and after it. Each thing that is asked for counts where it
 * stands best: in the record itself or, for less, in one of the two records before it or after it.
 */

/** What was found in a record beside another one. */
export interface Beside {
  readonly clause: number;
  readonly doc: number;
  /** What it counts there, of what it would count in the record itself. */
  readonly share: number;
}

/** What a word counts in the next record, and in the one behind it. */
const discounts = [0.5, 0.3];
/** The more a record says itself, the less do its neighbours. */
const ownWords = 40;
/** So many records, those that are best by themselves, are looked at with their neighbours. */
const mostRecords = 1000;

/** Adds to the scores what neighbours bring, where the stream is declared as a conversation; answers what was found in them. */
export async function withNeighbours(
  search: Searching,
  sheet: Sheet,
  worthOf: (clause: number, density: number) => number,
  scores: Float64Array,
): Promise<ReadonlyMap<number, readonly Beside[]>> {
  const found = new Map<number, Beside[]>();
  const columns = readableConversation(sheet.source.stream.scope);
  if (columns === undefined || sheet.docs.length < 2) return found;
  const places = bestPlaces(sheet, scores, mostRecords);
  const docAt = (place: number): number => sheet.docs[place] ?? 0;
  const placeOf = new Map(places.map((place) => [docAt(place), place]));
  const lengths = sheet.lengths();
  const worths = worthsOf(sheet, places, worthOf);
  const links = await linksAmong(search, sheet.source, columns, places.map(docAt));
  const neighbours = new Map<number, { place: number; distance: number }[]>();
  const link = (from: number, to: number, distance: number) => {
    const held = neighbours.get(from);
    if (held === undefined) neighbours.set(from, [{ place: to, distance }]);
    else held.push({ place: to, distance });
  };
  for (const { doc, next, second } of links) {
    const place = placeOf.get(doc);
    for (const [distance, other] of [next, second].entries()) {
      const beside = other === null ? undefined : placeOf.get(other);
      if (place === undefined || beside === undefined) continue;
      link(place, beside, distance);
      link(beside, place, distance);
    }
  }
  for (const [place, around] of neighbours) {
    const share = ownWords / (ownWords + (lengths[place] ?? 0));
    const own = worths.get(place);
    const best = new Map<number, { worth: number; doc: number; share: number }>();
    for (const { place: other, distance } of around) {
      for (const [clause, worth] of worths.get(other) ?? []) {
        const counts = (discounts[distance] ?? 0) * share;
        const less = worth * counts;
        if (less <= (own?.get(clause) ?? 0) || less <= (best.get(clause)?.worth ?? 0)) continue;
        best.set(clause, { worth: less, doc: docAt(other), share: counts });
      }
    }
    if (best.size === 0) continue;
    for (const [clause, { worth }] of best) scores[place] = (scores[place] ?? 0) + worth - (own?.get(clause) ?? 0);
    found.set(
      place,
      [...best]
        .filter(([clause]) => own?.get(clause) === undefined)
        .map(([clause, held]) => ({ clause, doc: held.doc, share: held.share })),
    );
  }
  return found;
}

/** The two records that come after each of these in its conversation, nearest first, whatever else the search asks for. */
export async function turnsAfter(
  { on, dialect, upTo }: Pick<Searching, "on" | "dialect" | "upTo">,
  scope: StreamScope,
  connectionNo: number,
  docs: readonly number[],
): Promise<ReadonlyMap<number, readonly number[]>> {
  const columns = readableConversation(scope);
  if (columns === undefined || docs.length === 0) return new Map();
  const source = { stream: { scope }, connectionNo, limits: matchVisible(scope, [], dialect) };
  const links = await linksAmong({ on, dialect, upTo }, source, columns, docs);
  return new Map(links.map(({ doc, next, second }) => [doc, [next, second].filter((other) => other !== null)]));
}

/** A field outside the grant orders nothing. */
function readableConversation(scope: StreamScope): ReturnType<typeof findConversationColumns> {
  const { declaration, columns } = scope.stream;
  const { within, by } = declaration.conversation ?? {};
  const isReadable = [within, by].every((field) => field === undefined || canRead(scope, field));
  return isReadable ? findConversationColumns(declaration, columns) : undefined;
}

/** The places of the best records so far. Of equals the newer, whatever the order in which they were read. */
export function bestPlaces({ docs }: Sheet, scores: Float64Array, limit: number): number[] {
  const places = Array.from(scores, (_, place) => place).filter((place) => (scores[place] ?? 0) > 0);
  if (places.length <= limit) return places;
  return places.sort((a, b) => (scores[b] ?? 0) - (scores[a] ?? 0) || (docs[b] ?? 0) - (docs[a] ?? 0)).slice(0, limit);
}

/** What each clause is worth in each of these records. */
function worthsOf(
  { shares }: Sheet,
  places: readonly number[],
  worthOf: (clause: number, density: number) => number,
): Map<number, Map<number, number>> {
  const worths = new Map(places.map((place) => [place, new Map<number, number>()]));
  for (const [clause, { places: found, density }] of shares.entries()) {
    for (let i = 0; i < found.length; i += 1) worths.get(found[i] ?? 0)?.set(clause, worthOf(clause, density[i] ?? 0));
  }
  return worths;
}

interface Link {
  readonly doc: number;
  readonly next: number | null;
  readonly second: number | null;
}

type LinkedSource = Pick<Source, "connectionNo" | "limits"> & { readonly stream: Pick<SearchedStream, "scope"> };

/** The two records that come after each of these in its conversation, of those the scope sees. */
function linksAmong(
  { on, dialect, upTo }: Pick<Searching, "on" | "dialect" | "upTo">,
  { stream: { scope }, connectionNo, limits }: LinkedSource,
  { within, by }: { within: string | undefined; by: string },
  docs: readonly number[],
): Promise<Link[]> {
  const here = (name: string): Sql =>
    sql`${raw(name)}.owner_no = ${scope.ownerNo} AND ${raw(name)}.connection_no = ${connectionNo}`;
  const after = (n: number): Sql =>
    sql`(SELECT COALESCE(n.doc, n.version) FROM ${table(scope)} AS n WHERE ${joinAnd([
      here("n"),
      ...(within === undefined ? [] : [raw(`n.${within} = c.${within}`)]),
      raw(`(n.${by}, n.key) > (c.${by}, c.key)`),
      sql`COALESCE(n.doc, n.version) <= ${upTo}`,
      ...limits,
    ])} ORDER BY n.${raw(by)}, n.key LIMIT 1 OFFSET ${raw(String(n))})`;
  const named = (column: string, isNamed: string) =>
    sql`SELECT ${raw(column)} AS doc, ${after(0)} AS next, ${after(1)} AS second FROM ${table(scope)} AS c
      WHERE ${joinAnd([here("c"), dialect.amongNumbers(column, docs), raw(`c.doc ${isNamed}`)])}`;
  return on.all<Link>(
    sql`SELECT * FROM (${unionAll([named("c.version", "IS NULL"), named("c.doc", "IS NOT NULL")])}) AS links ORDER BY doc`,
  );
}
