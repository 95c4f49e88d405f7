import type { QuestionKey } from "@pdpp/importers/importer";

/** The options of `pdpp import` that answer questions. */
export const optionNames: Record<QuestionKey, string> = {
  time_zone: "--time-zone",
  date_order: "--date-order",
  me: "--me",
};

/** Accepts a choice in any case, and a city for its time zone. */
export function normalizeAnswer(key: QuestionKey, typed: string, choices: readonly string[] = []): string {
  const isSame = (name: string): boolean => name.toLowerCase() === typed.toLowerCase();
  if (key !== "time_zone") return choices.includes(typed) ? typed : (choices.find(isSame) ?? typed);
  const cities = Intl.supportedValuesOf("timeZone").filter((zone) => isSame(getCityName(zone)));
  return isTimeZone(typed) || cities.length !== 1 ? typed : (cities[0] ?? typed);
}

const getCityName = (zone: string): string => zone.slice(zone.lastIndexOf("/") + 1).replaceAll("_", " ");

export const isValidAnswer = (key: QuestionKey, answer: string, choices: readonly string[] | undefined): boolean => {
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
