import type { Agent } from "../mcp/hosts/agent.ts";
import type { HostClass } from "../mcp/hosts/host-classes.ts";
import { openSession } from "../mcp/hosts/session.ts";
import type { World } from "../mcp/hosts/world.ts";
import { getHitWords, parseHits, type ShownHit } from "./shown-hits.ts";
import { createWordFinder, isRedundant } from "./words.ts";

/** Measures how much of the matches and the answer the first page of a search shows. */

export interface Question {
  readonly q: string;
  /** The record contains the answer. */
  holds(id: string): boolean;
  /** The visible part of the record contains it. */
  answeredBy(id: string, shown: string): boolean;
}

interface JudgedHit extends ShownHit {
  /** Query words in the record's searchable fields, by index. */
  readonly matched: ReadonlySet<number>;
  /** Those that the head or a passage shows. */
  readonly visible: ReadonlySet<number>;
  /** Its passages only repeat the head. */
  readonly repeats: boolean;
}

export interface JudgedQuestion {
  readonly question: Question;
  readonly hits: readonly JudgedHit[];
  /** A record with the answer is on the first page. */
  readonly found: boolean;
  /** The answer itself is visible. */
  readonly atOnce: boolean;
  /** It is visible, or one call away from the hit that shows the most query words. */
  readonly oneCall: boolean;
  /** It is visible, or one call away from any hit. Optional, because it takes one call per hit. */
  readonly anyCall: boolean;
}

/** The searchable texts of a record, by record id. */
export type Searchable = (id: string) => readonly string[];

export interface Asking {
  readonly searchable: Searchable;
  /** Follow the calls of all hits. */
  readonly every: boolean;
}

async function ask(agent: Agent, question: Question, { searchable, every }: Asking): Promise<JudgedQuestion> {
  const { plain } = await agent.ask("search", { query: question.q });
  const wordsIn = createWordFinder(question.q);
  const hits = parseHits(plain).map((hit): JudgedHit => {
    const matched = wordsIn(searchable(hit.id));
    const seen = wordsIn([getHitWords(hit)]);
    return {
      ...hit,
      matched,
      visible: new Set([...matched].filter((word) => seen.has(word))),
      repeats: hit.passages.length > 0 && hit.passages.every((passage) => isRedundant(passage, hit.head)),
    };
  });
  const behind = async ({ id, call }: JudgedHit): Promise<boolean> =>
    call !== undefined && question.answeredBy(id, (await agent.follow(call)).plain);
  const [chosen, ...others] = hits
    .filter(({ call }) => call !== undefined)
    .sort((a, b) => b.visible.size - a.visible.size);
  const atOnce = hits.some((hit) => question.answeredBy(hit.id, getHitWords(hit)));
  const oneCall = atOnce || (chosen !== undefined && (await behind(chosen)));
  let anyCall = oneCall;
  for (const hit of every ? others : []) anyCall ||= await behind(hit);
  return { question, hits, found: hits.some(({ id }) => question.holds(id)), atOnce, oneCall, anyCall };
}

/** Asks all questions in turn, in a host of that class. */
export async function askAll(
  world: World,
  host: HostClass,
  questions: readonly Question[],
  asking: Asking,
): Promise<JudgedQuestion[]> {
  const { agent, close } = await openSession(world, host, "2026-07-28");
  try {
    const asked: JudgedQuestion[] = [];
    for (const question of questions) asked.push(await ask(agent, question, asking));
    return asked;
  } finally {
    await close();
  }
}

/** How much of the matches was shown and how often the answer was visible. Shares of 1, except for counts. */
export interface EvidenceFigure {
  readonly set: string;
  readonly host: string;
  readonly questions: number;
  readonly hits: number;
  /** Share of matched query words that heads and passages show. */
  readonly words_shown: number;
  /** Number of hits whose passages only repeat the head. */
  readonly repeats: number;
  readonly found: number;
  readonly at_once: number;
  readonly one_call: number;
  readonly any_call: number;
}

export function computeFigure(set: string, host: string, asked: readonly JudgedQuestion[]): EvidenceFigure {
  const hits = asked.flatMap((one) => one.hits);
  const sum = (count: (hit: JudgedHit) => number) => hits.reduce((total, hit) => total + count(hit), 0);
  const share = (is: (one: JudgedQuestion) => boolean) => asked.filter(is).length / asked.length;
  return {
    set,
    host,
    questions: asked.length,
    hits: hits.length,
    words_shown: sum(({ visible }) => visible.size) / sum(({ matched }) => matched.size),
    repeats: sum(({ repeats }) => Number(repeats)),
    found: share(({ found }) => found),
    at_once: share(({ atOnce }) => atOnce),
    one_call: share(({ oneCall }) => oneCall),
    any_call: share(({ anyCall }) => anyCall),
  };
}
