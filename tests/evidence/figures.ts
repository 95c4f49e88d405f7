import type { Agent } from "../mcp/hosts/agent.ts";
import type { HostClass } from "../mcp/hosts/host-classes.ts";
import { openSession } from "../mcp/hosts/session.ts";
import type { World } from "../mcp/hosts/world.ts";
import { type ShownHit, shownHits, wordsOfHit } from "./shown-hits.ts";
import { addsNothing, wordFinder } from "./words.ts";

/** What the first page of a search shows of what it found, and of the answer. */

export interface Question {
  readonly q: string;
  /** The record has the answer. */
  holds(id: string): boolean;
  /** What is shown of the record has it. */
  answeredBy(id: string, shown: string): boolean;
}

interface JudgedHit extends ShownHit {
  /** Words of the query in the searchable fields of the record, by number. */
  readonly matched: ReadonlySet<number>;
  /** Those of them that the head or a passage shows. */
  readonly visible: ReadonlySet<number>;
  /** It has passages, and all they say is in the head. */
  readonly repeats: boolean;
}

export interface Asked {
  readonly question: Question;
  readonly hits: readonly JudgedHit[];
  /** A record with the answer is on the first page. */
  readonly found: boolean;
  /** The answer itself is there. */
  readonly atOnce: boolean;
  /** It is there, or behind the call of the first of the hits that show the most words of the question. */
  readonly oneCall: boolean;
  /** It is there, or behind the call of some hit. Only asked for on demand: it takes as many calls as there are hits. */
  readonly anyCall: boolean;
}

/** The texts of a record in which search looks, by the record's id. */
export type Searchable = (id: string) => readonly string[];

export interface Asking {
  readonly searchable: Searchable;
  /** Follow the calls of all hits. */
  readonly every: boolean;
}

async function ask(agent: Agent, question: Question, { searchable, every }: Asking): Promise<Asked> {
  const { plain } = await agent.ask("search", { query: question.q });
  const wordsIn = wordFinder(question.q);
  const hits = shownHits(plain).map((hit): JudgedHit => {
    const matched = wordsIn(searchable(hit.id));
    const seen = wordsIn([wordsOfHit(hit)]);
    return {
      ...hit,
      matched,
      visible: new Set([...matched].filter((word) => seen.has(word))),
      repeats: hit.passages.length > 0 && hit.passages.every((passage) => addsNothing(passage, hit.head)),
    };
  });
  const behind = async ({ id, call }: JudgedHit): Promise<boolean> =>
    call !== undefined && question.answeredBy(id, (await agent.follow(call)).plain);
  const [chosen, ...others] = hits
    .filter(({ call }) => call !== undefined)
    .sort((a, b) => b.visible.size - a.visible.size);
  const atOnce = hits.some((hit) => question.answeredBy(hit.id, wordsOfHit(hit)));
  const oneCall = atOnce || (chosen !== undefined && (await behind(chosen)));
  let anyCall = oneCall;
  for (const hit of every ? others : []) anyCall ||= await behind(hit);
  return { question, hits, found: hits.some(({ id }) => question.holds(id)), atOnce, oneCall, anyCall };
}

/** Asks all of them, one after the other, in a host of that class. */
export async function askAll(
  world: World,
  host: HostClass,
  questions: readonly Question[],
  asking: Asking,
): Promise<Asked[]> {
  const { agent, close } = await openSession(world, host, "2026-07-28");
  try {
    const asked: Asked[] = [];
    for (const question of questions) asked.push(await ask(agent, question, asking));
    return asked;
  } finally {
    await close();
  }
}

/** What was shown of all that was found, and how often the answer was seen: parts of 1, but for counts. */
export interface EvidenceFigure {
  readonly set: string;
  readonly host: string;
  readonly questions: number;
  readonly hits: number;
  /** Of the query words that the records match, those that head and passages show. */
  readonly words_shown: number;
  /** Hits whose passages say only what the head says: a count. */
  readonly repeats: number;
  readonly found: number;
  readonly at_once: number;
  readonly one_call: number;
  readonly any_call: number;
}

export function figureOf(set: string, host: string, asked: readonly Asked[]): EvidenceFigure {
  const hits = asked.flatMap((one) => one.hits);
  const sum = (count: (hit: JudgedHit) => number) => hits.reduce((total, hit) => total + count(hit), 0);
  const share = (is: (one: Asked) => boolean) => asked.filter(is).length / asked.length;
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
