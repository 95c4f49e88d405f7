import type { ImportAnswers, ImportPlan, PlanQuestion, PlanTarget } from "@pdpp/console/import/import-service";
import type { ConnectionDetail } from "@pdpp/contract/owner";
import type { Answers, Question, QuestionKey } from "@pdpp/importers/importer";
import type { Detection } from "@pdpp/importers/plan";
import type { Entry } from "@pdpp/importers/tree";
import type { Absent } from "../plan/absent.ts";
import { isTimeZone } from "../plan/answers.ts";
import { chooseConnection } from "../plan/choose-connection.ts";
import { isTableFile } from "../plan/mappings.ts";
import { type ChosenConnection, getConnectorKey, type PlannedPart } from "../plan/plan-part.ts";

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
    parts: parts.slice(0, maxShownParts).map(({ importer, claim, aside, streams, recalled }) => ({
      label: claim.label,
      title: importer.title,
      files: claim.entries.length,
      firstFile: formatFileName(claim.entries[0]),
      unchangedFiles: recalled?.unchangedFiles ?? 0,
      isUnchanged: recalled?.rest.length === 0,
      aside,
      streams,
    })),
    partCount: parts.length,
    targets: listTargets(parts, held),
    questions: mergeQuestions(parts),
    absent: absent.map(({ connection_id, stream, count }) => ({ connection_id, stream, records: count })),
    notUnderstood: left.slice(0, maxShownFiles).map(({ path, reason }) => ({ path, reason })),
    notUnderstoodCount: left.length,
    mayHaveTables: left.some(isTableFile),
  };
}

/** Each file of an upload is its own tree, so its path repeats its name. */
const formatFileName = (entry: Entry | undefined): string =>
  entry === undefined ? "" : entry.path === `${entry.source}/${entry.source}` ? entry.source : entry.path;

function listTargets(parts: readonly PlannedPart[], held: readonly ConnectionDetail[]): PlanTarget[] {
  const importers = new Map(parts.map(({ importer }) => [importer.key, importer]));
  return [...importers.values()].map((importer) => ({
    key: importer.key,
    title: importer.title,
    connections: held
      .filter(({ connector_key }) => connector_key === getConnectorKey(importer))
      .map(({ connection_id: id, display_name }) => ({ id, label: display_name ?? id })),
  }));
}

/** Asks a question once, even if several parts need the answer. */
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
    const needing = parts.filter((part) => part.questions.some((each) => needsAnswer(each) && each.key === key)).length;
    const canSkip = key === "date_order" && needing > 0 && parts.some((part) => !part.questions.some(needsAnswer));
    return {
      key,
      text: new Set(same.map(({ text }) => text)).size === 1 ? (same[0]?.text ?? "") : commonText[key],
      ...(isFree ? {} : { choices }),
      ...(canSkip ? { skippableParts: needing } : {}),
      ...(remembered !== undefined ? { usual: remembered, isRemembered: true } : usual !== undefined ? { usual } : {}),
    };
  });
}

const needsAnswer = ({ defaultAnswer }: Question): boolean => defaultAnswer === undefined;

/** Whether every question of a part is answered. */
export const isAnswered = ({ questions }: Pick<PlannedPart, "questions">, answers: Answers): boolean =>
  questions.every(({ key }) => answers[key] !== undefined);

const commonText: Readonly<Record<QuestionKey, string>> = {
  time_zone: "Which time zone should be used for times that have none?",
  date_order: "Which order do ambiguous dates use?",
  me: "Which name is yours?",
};

/** Returns what is wrong with the answers, if anything. */
export function findAnswerProblem(
  answers: ImportAnswers,
  parts: readonly PlannedPart[],
  held: readonly ConnectionDetail[],
): string | undefined {
  for (const { key, title, connections } of listTargets(parts, held))
    if (connections.length > 0 && answers.into[key] === undefined)
      return `Choose a source for ${title}, or name a new one.`;
  for (const { key, text, choices, usual, skippableParts } of mergeQuestions(parts)) {
    const answer = answers[key];
    if ((answer === undefined || answer === "") && skippableParts !== undefined) continue;
    if ((answer === undefined || (answer === "" && key === "time_zone")) && usual === undefined)
      return `Please answer: ${text}`;
    if (answer === undefined || answer === "") continue;
    if (key === "time_zone" && !isTimeZone(answer)) return `${answer} is not a time zone. Example: Europe/Berlin`;
    if (key !== "time_zone" && choices !== undefined && !choices.includes(answer))
      return `Choose one of the answers: ${text}`;
  }
  return undefined;
}

/** Picks the answers that one part needs. */
export function selectAnswers(questions: readonly Question[], said: ImportAnswers): Answers {
  const asked = (key: QuestionKey): string | undefined => {
    const question = questions.find((each) => each.key === key);
    // An empty name is a valid answer; an empty time zone or date order is none.
    const answer = key !== "me" && said[key] === "" ? undefined : said[key];
    return question === undefined ? undefined : (answer ?? question.defaultAnswer);
  };
  return {
    time_zone: asked("time_zone"),
    date_order: asked("date_order"),
    me: asked("me"),
    attachments: said.attachments,
  };
}

/** A default until the owner chooses: the first connection for this format, or a new one. */
export function guessConnection(
  held: readonly ConnectionDetail[],
  importer: PlannedPart["importer"],
): ChosenConnection {
  const first = held.find(({ connector_key }) => connector_key === getConnectorKey(importer));
  return chooseConnection(held, importer, { into: first?.connection_id });
}
