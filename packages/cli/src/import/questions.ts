import { createInterface } from "node:readline/promises";
import { PdppError } from "@pdpp/contract/errors";
import type { Answers, Question, QuestionKey } from "@pdpp/importers/importer";
import { isValidAnswer, normalizeAnswer, optionNames } from "@pdpp/importing/plan/answers";
import type { OpenQuestion } from "@pdpp/importing/plan/plan-part";
import { escapeUnprintable } from "../render/terminal/style.ts";

/** Asks on a terminal what exports do not say; without one, the option is required. */

const isTerminal = (): boolean => process.stdin.isTTY === true && process.stderr.isTTY === true;

interface Asking {
  /** The format being imported. */
  readonly of: string;
  /** Answers given for other parts of the import. */
  readonly earlier: Map<string, string>;
}

export interface CollectedAnswers {
  readonly answers: Answers;
  /** Questions that cannot be answered without a terminal. */
  readonly open: readonly OpenQuestion[];
}

/** Asks once per format: all chats of a phone share a time zone and an owner. */
export async function collectAnswers(
  questions: readonly OpenQuestion[],
  given: Answers,
  { of, earlier }: Asking,
): Promise<CollectedAnswers> {
  const open: OpenQuestion[] = [];
  const answers: Record<QuestionKey, string | undefined> = {
    time_zone: given.time_zone,
    date_order: given.date_order,
    me: given.me,
  };
  for (const question of questions) {
    if (answers[question.key] !== undefined) continue;
    const known = earlier.get(`${of} ${question.key}`);
    if (question.isRemembered) answers[question.key] = question.defaultAnswer;
    else if (
      known !== undefined &&
      question.key !== "date_order" &&
      isValidAnswer(question.key, known, question.choices)
    )
      answers[question.key] = known;
    else if (isTerminal()) {
      // Suggest the answer of another format, which is usually right.
      const answer = await askQuestion(question, earlier.get(question.key));
      earlier.set(`${of} ${question.key}`, answer).set(question.key, answer);
      answers[question.key] = answer;
    } else if (question.defaultAnswer !== undefined) answers[question.key] = question.defaultAnswer;
    else open.push(question);
  }
  return { answers: { ...answers, attachments: given.attachments }, open };
}

export function formatOpenQuestion({ key, text, choices: listed }: OpenQuestion): string {
  const choices = listed === undefined ? "" : ` (${listed.map(escapeUnprintable).join(", ")})`;
  const example = key === "time_zone" ? " Europe/Berlin, for example" : "";
  return `${escapeUnprintable(text)} Add ${optionNames[key]}${example}${choices}.`;
}

async function askQuestion(
  { key, text, choices, defaultAnswer: usual }: Question,
  said: string | undefined,
): Promise<string> {
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  const own = key === "time_zone" ? Intl.DateTimeFormat().resolvedOptions().timeZone : undefined;
  const standard = said !== undefined && isValidAnswer(key, said, choices) ? said : (own ?? usual);
  const listed = choices === undefined ? "" : ` (${choices.map(escapeUnprintable).join(", ")})`;
  const shown = standard === undefined ? "" : ` [${standard === "" ? "none of these" : escapeUnprintable(standard)}]`;
  try {
    for (;;) {
      const typed = (await askOrFail(terminal, `${escapeUnprintable(text)}${listed}${shown} `)).trim();
      const answer = typed === "" ? standard : normalizeAnswer(key, typed, choices);
      if (answer !== undefined && isValidAnswer(key, answer, choices)) return answer;
      process.stderr.write(
        key === "time_zone" ? "Not a time zone. Example: Europe/Berlin\n" : "Choose one of the options.\n",
      );
    }
  } finally {
    terminal.close();
  }
}

function askOrFail(terminal: ReturnType<typeof createInterface>, question: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const rejectUnanswered = () => reject(new PdppError("invalid_request", "no answer; nothing was changed"));
    terminal.once("close", rejectUnanswered);
    terminal.question(question).then((answer) => {
      terminal.off("close", rejectUnanswered);
      resolve(answer);
    }, rejectUnanswered);
  });
}
