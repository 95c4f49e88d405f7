import type { HostClass } from "../mcp/hosts/host-classes.ts";
import { openSession } from "../mcp/hosts/session.ts";
import type { World } from "../mcp/hosts/world.ts";
import { type EverydayQuestion, everydayQuestions } from "./first-page-questions.ts";
import { getHitWords, parseHits, type ShownHit } from "./shown-hits.ts";
import { answerFinder, isRedundant } from "./words.ts";

/** Checks what the first result of everyday questions shows: the answer, a misleading value, or bare titles. */

export interface EverydayAnswer {
  readonly question: EverydayQuestion;
  readonly shown: string;
  readonly isVisible: boolean;
  /** A wrong value is visible and the answer is not. */
  readonly isMisleading: boolean;
  readonly hits: readonly ShownHit[];
}

export async function askEveryday(world: World, host: HostClass): Promise<EverydayAnswer[]> {
  const { agent, close } = await openSession(world, host, "2026-07-28");
  try {
    const answers: EverydayAnswer[] = [];
    for (const question of everydayQuestions) {
      const { plain } = await agent.ask(question.tool, question.arguments);
      answers.push(judgePage(question, plain));
    }
    return answers;
  } finally {
    await close();
  }
}

function judgePage(question: EverydayQuestion, shown: string): EverydayAnswer {
  const hits = question.tool === "search" ? parseHits(shown) : [];
  // Calls contain times and ids, which no reader takes for an answer.
  const statements = shown.split("\n").filter((line) => !line.startsWith("-> ") && !/^\d+\. /.test(line));
  const read = [...hits.map(getHitWords), ...statements].join("\n");
  const isVisible = answerFinder(question.answers)(read);
  const isMisleading = !isVisible && (question.wrong ?? []).some((value) => answerFinder([value])(read));
  return { question, shown, isVisible, isMisleading, hits };
}

const time = /\d{4}-\d\d-\d\d/;
const source = /^[\w-]+ [\w-]+(?: ".*")?$/;

/** Whether a hit shows only its title, source and time. */
export function isTitleOnly({ head, passages }: ShownHit): boolean {
  const [, ...segments] = head.split(" | ");
  const details = segments.filter((segment) => !source.test(segment) && !time.test(segment));
  return details.length === 0 && passages.every((passage) => isRedundant(passage, head));
}

export interface EverydayFigure {
  readonly host: string;
  readonly questions: number;
  readonly visible: number;
  readonly misleading: number;
  readonly hits: number;
  readonly title_only: number;
}

export const computeEverydayFigure = (host: string, answers: readonly EverydayAnswer[]): EverydayFigure => {
  const hits = answers.flatMap((answer) => answer.hits);
  return {
    host,
    questions: answers.length,
    visible: answers.filter(({ isVisible }) => isVisible).length,
    misleading: answers.filter(({ isMisleading }) => isMisleading).length,
    hits: hits.length,
    title_only: hits.filter(isTitleOnly).length,
  };
};
