import { createInterface } from "node:readline/promises";
import { PdppError } from "@pdpp/contract/errors";
import type { Answers, Question, QuestionKey } from "@pdpp/importers/importer";
import { UsageError } from "../failure.ts";
import { harmless } from "../render/style.ts";

/** The few things that exports do not say: a terminal is asked, and elsewhere the option must be given. */

const optionOf: Record<QuestionKey, string> = { time_zone: "--time-zone", date_order: "--date-order", me: "--me" };

const isTerminal = (): boolean => process.stdin.isTTY === true && process.stderr.isTTY === true;

/** Complete answers to these questions. */
export async function answered(questions: readonly Question[], given: Answers): Promise<Answers> {
  const answers: Record<QuestionKey, string | undefined> = {
    time_zone: given.time_zone,
    date_order: given.date_order,
    me: given.me,
  };
  for (const question of questions) {
    if (answers[question.key] !== undefined) continue;
    if (isTerminal()) answers[question.key] = await ask(question);
    else if (question.usual !== undefined) answers[question.key] = question.usual;
    else {
      const choices = question.choices === undefined ? "" : ` (${question.choices.join(", ")})`;
      throw new UsageError(`${question.text} Add ${optionOf[question.key]}${choices}; there is no terminal to ask on`);
    }
  }
  return { ...answers, attachments: given.attachments };
}

async function ask({ key, text, choices, usual }: Question): Promise<string> {
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  const own = key === "time_zone" ? Intl.DateTimeFormat().resolvedOptions().timeZone : undefined;
  const standard = usual ?? own;
  const listed = choices === undefined ? "" : ` (${choices.map(harmless).join(", ")})`;
  const shown = standard === undefined || standard === "" ? "" : ` [${standard}]`;
  try {
    for (;;) {
      const said = (await closing(terminal, `${harmless(text)}${listed}${shown} `)).trim();
      const answer = said === "" ? standard : said;
      if (answer !== undefined && isFit(key, answer, choices)) return answer;
      process.stderr.write(
        key === "time_zone" ? "That is no time zone; one is Europe/Berlin.\n" : "Please answer with one of them.\n",
      );
    }
  } finally {
    terminal.close();
  }
}

const isFit = (key: QuestionKey, answer: string, choices: readonly string[] | undefined): boolean => {
  if (key === "time_zone") return isTimeZone(answer);
  return answer === "" || choices === undefined || choices.includes(answer);
};

export function isTimeZone(name: string): boolean {
  try {
    return new Intl.DateTimeFormat("en", { timeZone: name }) !== undefined;
  } catch {
    return false;
  }
}

function closing(terminal: ReturnType<typeof createInterface>, question: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const gone = () => reject(new PdppError("invalid_request", "not answered; nothing was changed"));
    terminal.once("close", gone);
    terminal.question(question).then((answer) => {
      terminal.off("close", gone);
      resolve(answer);
    }, gone);
  });
}
