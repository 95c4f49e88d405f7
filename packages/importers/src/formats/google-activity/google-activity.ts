import { parseInstant } from "@pdpp/contract/instant";
import { extractHtmlText } from "@pdpp/evidence/text/html-text";
import { deriveId, Occurrences } from "../../core/identity.ts";
import type { Answers, Importer, Item } from "../../core/importer.ts";
import { createClaim, mark, reject } from "../../core/items.ts";
import { NestingError } from "../../core/parsing/html-steps.ts";
import { type JsonElement, readArrayElements } from "../../core/parsing/json-elements.ts";
import { readFiles, rejectElement } from "../../core/reading.ts";
import { createActivityRecord, defineActivityFormat } from "../../core/records/activity.ts";
import { wrapInArray } from "../../core/retry.ts";
import { isObject, toList, toText } from "../../core/text/clean.ts";
import { parseWrittenTime } from "../../core/time/european-time.ts";
import { resolveTime } from "../../core/time/times.ts";
import { type Entry, readHead } from "../../tree/tree.ts";
import { readActivityCells } from "./cells.ts";

/** Google My Activity and YouTube history. */
export const googleActivity: Importer = {
  ...defineActivityFormat("google-activity", "Google activity"),
  version: "2",
  testedWith: "real files",
  // The same event may be in My Activity and in the YouTube history.
  mergeRules: { events: { union: ["details"], fill: ["text", "url"] } },
  toStandaloneFile: (raw, path) => (isPage(path) ? undefined : wrapInArray(raw)),
  sniff: (path, { text }) =>
    isPage(path)
      ? /class="outer-cell\b/.test(text) && /class="content-cell\b/.test(text)
      : /\.json$/i.test(path) && /^\s*\[\s*\{\s*"header"\s*:/.test(text) && /"time"\s*:/.test(text),
  async createClaims(found) {
    const isZoned = await Promise.all(found.map(hasZone));
    return [
      createClaim("google-activity", "Google activity", found, {
        questions: isZoned.every((yes) => yes)
          ? []
          : [{ key: "time_zone", text: "Which time zone was Google's activity page made in? It does not say." }],
      }),
    ];
  },
  read: (claim, answers, from) =>
    readFiles(claim, from, (entry, index) =>
      isPage(entry.path) ? readPage(entry, answers, index) : readJson(entry, index),
    ),
};

const isPage = (path: string): boolean => /\.html?$/i.test(path);

/** Whether the times at the beginning of a page name their zone. */
async function hasZone(entry: Entry): Promise<boolean> {
  if (!isPage(entry.path)) return true;
  const head = Buffer.from(await readHead(entry, 262_144)).toString("utf8");
  const times = [...head.matchAll(/<br\s*\/?>([^<>]{8,60})(?=<)/g)].flatMap(
    ([, text = ""]) => parseWrittenTime(text) ?? [],
  );
  return times.every(({ offset }) => offset !== null);
}

async function* readJson(entry: Entry, index: number): AsyncGenerator<Item> {
  const occurrences = new Occurrences();
  for await (const element of readArrayElements((from) => entry.bytes(from), 0)) {
    yield await createEvent(entry, element, occurrences);
    yield mark(index, element.end);
  }
}

async function createEvent(entry: Entry, element: JsonElement, occurrences: Occurrences): Promise<Item> {
  const { value, offset, raw } = element;
  if (element.failure !== undefined) return rejectElement(entry, element);
  if (!isObject(value)) return reject(entry.path, offset, "not_an_event", "not a JSON object", raw);
  const at = toText(value.time);
  if (at === null || parseInstant(at) === null) return reject(entry.path, offset, "no_such_time", "no time", raw);
  const title = toText(value.title);
  const url = toText(value.titleUrl);
  const source = toText(value.header) ?? toText(toList(value.products)[0]);
  const listNames = (list: unknown): string[] =>
    toList(list).flatMap((each) => (isObject(each) ? (toText(each.name) ?? []) : (toText(each) ?? [])));
  const text = [...listNames(value.subtitles), ...(await extractAnswers(value.safeHtmlItem))];
  return createActivityRecord({
    id: occurrences.number(deriveId("google", source, at, title, url)),
    title,
    source,
    kind: getVerb(title),
    at,
    text: text.length === 0 ? null : text.join("\n"),
    url,
    details: [
      ...new Set([...listNames(value.products), ...listNames(value.details), ...listNames(value.locationInfos)]),
    ],
  });
}

/** Gemini's answers. */
const extractAnswers = async (list: unknown): Promise<string[]> => {
  const pages = toList(list).flatMap((each) => (isObject(each) ? (toText(each.html) ?? []) : []));
  const texts = await Promise.all(pages.map(async (page) => (await extractHtmlText(page, false)).trim()));
  return texts.filter((text) => text !== "");
};

/** The first word of the title, if the account is in English. */
function getVerb(title: string | null): string | null {
  const word = /^(Watched|Visited|Searched|Viewed|Listened|Used|Liked|Read|Installed|Saved)\b/.exec(title ?? "")?.[1];
  return word === undefined ? null : word.toLowerCase();
}

async function* readPage(entry: Entry, answers: Answers, index: number): AsyncGenerator<Item> {
  try {
    yield* readEvents(entry, answers, index);
  } catch (error) {
    if (!(error instanceof NestingError)) throw error;
    yield reject(entry.path, 0, "too_deep", error.message);
  }
}

async function* readEvents(entry: Entry, answers: Answers, index: number): AsyncGenerator<Item> {
  const occurrences = new Occurrences();
  for await (const { header, lines, url, captions, end } of readActivityCells(entry.bytes())) {
    // The time comes last, followed only by Gemini's answer.
    const at = lines.findIndex((line, n) => n > 0 && parseWrittenTime(line) !== null);
    const written = lines.at(at) ?? "";
    const time = at < 0 ? null : resolveTime(parseWrittenTime(written), answers.time_zone);
    const title = lines[0] ?? null;
    if (time === null) {
      const reason = `unrecognized time (${written.slice(0, 60)}); export again and choose JSON`;
      yield reject(entry.path, end, "no_such_time", reason, lines.join("\n"));
    } else {
      const text = lines.filter((_, n) => n > 0 && n !== at).join("\n");
      yield createActivityRecord({
        id: occurrences.number(deriveId("google", header, time.sentAt, title, url)),
        title,
        source: header,
        kind: getVerb(title),
        at: time.sentAt,
        localTime: time.localTime ?? null,
        zone: time.zone ?? null,
        text: text === "" ? null : text,
        url,
        details: captions,
      });
    }
    yield mark(index, end);
  }
}
