import type { ImportAnswers, ImportPlan, PlanQuestion, PlanTarget } from "@pdpp/contract/import-service";
import type { ConnectionDetail } from "@pdpp/contract/owner";
import type { Answers, Question, QuestionKey } from "@pdpp/importers/importer";
import type { Detection } from "@pdpp/importers/plan";
import type { Entry } from "@pdpp/importers/tree";
import type { Absent } from "../plan/absent.ts";
import { isTimeZone } from "../plan/answers.ts";
import { chooseConnection } from "../plan/choose-connection.ts";
import { isTableFile } from "../plan/mappings.ts";
import type { ChosenConnection, PlannedPart } from "../plan/plan-part.ts";

/** A plan as a page shows it, and what its form answers. */

/** The page tells parts of one format together, with their sums. */
const maxShownParts = 1000;
const maxShownFiles = 100;
const maxShownChoices = 100;

export function buildPagePlan(
  parts: readonly PlannedPart[],
  held: readonly ConnectionDetail[],
  absent: readonly Absent[],
  left: Detection["unrecognized"],
): ImportPlan {
  return {
    parts: parts.slice(0, maxShownParts).map(({ importer, claim, aside, streams }) => ({
      label: claim.label,
      title: importer.title,
      files: claim.entries.length,
      firstFile: formatFileName(claim.entries[0]),
      aside,
      streams,
    })),
    partCount: parts.length,
    targets: listTargets(parts, held),
    questions: mergeQuestions(parts),
    absent: absent.map(({ keys, ...where }) => ({ ...where, records: keys.length })),
    notUnderstood: left.slice(0, maxShownFiles).map(({ path, reason }) => ({ path, reason })),
    notUnderstoodCount: left.length,
    mayHaveTables: left.some(isTableFile),
  };
}

/** Of several files that were sent together each is a tree of its own, and its name stands twice. */
const formatFileName = (entry: Entry | undefined): string =>
  entry === undefined ? "" : entry.path === `${entry.source}/${entry.source}` ? entry.source : entry.path;

function listTargets(parts: readonly PlannedPart[], held: readonly ConnectionDetail[]): PlanTarget[] {
  const importers = new Map(parts.map(({ importer }) => [importer.key, importer]));
  return [...importers.values()].map(({ key, title }) => ({
    key,
    title,
    connections: held
      .filter(({ connector_key }) => connector_key === key)
      .map(({ connection_id: id, display_name }) => ({ id, label: display_name ?? id })),
  }));
}

/** Several parts may ask the same: it is asked once, as an option of the command is given once. */
function mergeQuestions(parts: readonly Pick<PlannedPart, "questions">[]): PlanQuestion[] {
  const findAnswer = Map.groupBy(
    parts.flatMap(({ questions }) => questions),
    ({ key }) => key,
  );
  return [...findAnswer].map(([key, same]) => {
    const isFree = same.some(({ choices }) => choices === undefined);
    const choices = [...new Set(same.flatMap((each) => each.choices ?? []))].slice(0, maxShownChoices);
    const remembered = same.find(({ isRemembered }) => isRemembered)?.defaultAnswer;
    const usual = same.every(({ defaultAnswer: usual }) => usual !== undefined) ? same[0]?.defaultAnswer : undefined;
    return {
      key,
      text: new Set(same.map(({ text }) => text)).size === 1 ? (same[0]?.text ?? "") : commonText[key],
      ...(isFree ? {} : { choices }),
      ...(remembered !== undefined ? { usual: remembered, isRemembered: true } : usual !== undefined ? { usual } : {}),
    };
  });
}

const commonText: Readonly<Record<QuestionKey, string>> = {
  time_zone: "In which time zone were times written that name none?",
  date_order: "How are dates written that can be read in two ways?",
  me: "Which name is you?",
};

/** What is wrong with the answers; undefined when they do. */
export function findAnswerProblem(
  answers: ImportAnswers,
  parts: readonly PlannedPart[],
  held: readonly ConnectionDetail[],
): string | undefined {
  for (const { key, title, connections } of listTargets(parts, held))
    if (connections.length > 0 && answers.into[key] === undefined)
      return `Say where ${title} goes: choose a source, or name a new one.`;
  for (const { key, text, choices, usual } of mergeQuestions(parts)) {
    const answer = answers[key];
    if ((answer === undefined || (answer === "" && key === "time_zone")) && usual === undefined)
      return `This needs an answer: ${text}`;
    if (answer === undefined || answer === "") continue;
    if (key === "time_zone" && !isTimeZone(answer)) return `${answer} is no time zone; one is Europe/Berlin.`;
    if (key !== "time_zone" && choices !== undefined && !choices.includes(answer))
      return `Choose one of the answers: ${text}`;
  }
  return undefined;
}

/** The answers to what one part asks, as whoever is asked on a terminal gives them. */
export function selectAnswers(questions: readonly Question[], said: ImportAnswers): Answers {
  const asked = (key: QuestionKey): string | undefined => {
    const question = questions.find((each) => each.key === key);
    // No zone at all is no answer; no name is one.
    const answer = key === "time_zone" && said[key] === "" ? undefined : said[key];
    return question === undefined ? undefined : (answer ?? question.defaultAnswer);
  };
  return {
    time_zone: asked("time_zone"),
    date_order: asked("date_order"),
    me: asked("me"),
    attachments: said.attachments,
  };
}

/** Before anybody was asked: the only connection of that kind, the first of several, or a new one. */
export function guessConnection(
  held: readonly ConnectionDetail[],
  importer: PlannedPart["importer"],
): ChosenConnection {
  const first = held.find(({ connector_key }) => connector_key === importer.key);
  return chooseConnection(held, importer, { into: first?.connection_id });
}
