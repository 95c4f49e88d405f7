import { parseInstant } from "@pdpp/contract/instant";
import { htmlText } from "@pdpp/evidence/text/html-text";
import { h1, Occurrences } from "../../core/identity.ts";
import { type Answers, aside, type Importer, type Item, mark, newestOf } from "../../core/importer.ts";
import { NestedTooDeep } from "../../core/parsing/html-steps.ts";
import { type Element, walk } from "../../core/parsing/json-elements.ts";
import { eachFile, faulty } from "../../core/reading.ts";
import { activityRecord, activityStreams } from "../../core/records/activity.ts";
import { manifest } from "../../core/records/schema.ts";
import { inList } from "../../core/retry.ts";
import { isObject, listIn, textIn } from "../../core/text/clean.ts";
import { writtenTime } from "../../core/time/european-time.ts";
import { withOffset } from "../../core/time/times.ts";
import { type Entry, headOf } from "../../tree/tree.ts";
import { activityCells } from "./cells.ts";

/** What Google products remember of their use: My Activity, and the histories of YouTube. */
export const googleActivity: Importer = {
  key: "google-activity",
  title: "Google activity",
  version: "2",
  proof: "real files",
  manifest: manifest("google-activity", "Google activity", "1.0.0", activityStreams()),
  // The same event stands in My Activity and in the history of YouTube.
  merge: { events: { union: ["details"], fill: ["text", "url"] } },
  about: "events",
  alone: (raw, path) => (isPage(path) ? undefined : inList(raw)),
  sniff: (path, { text }) =>
    isPage(path)
      ? /class="outer-cell\b/.test(text) && /class="content-cell\b/.test(text)
      : /\.json$/i.test(path) && /^\s*\[\s*\{\s*"header"\s*:/.test(text) && /"time"\s*:/.test(text),
  async claims(found) {
    const isZoned = await Promise.all(found.map(hasZone));
    return [
      {
        format: "google-activity",
        label: "Google activity",
        entries: found,
        beside: [],
        exportedAt: newestOf(found),
        questions: isZoned.every((yes) => yes)
          ? []
          : [{ key: "time_zone", text: "In which time zone was Google's activity page made? It does not say." }],
      },
    ];
  },
  read: (claim, answers, from) =>
    eachFile(claim, from, (entry, index) =>
      isPage(entry.path) ? readPage(entry, answers, index) : readJson(entry, index),
    ),
};

const isPage = (path: string): boolean => /\.html?$/i.test(path);

/** Whether the times of a page name their zone, as far as its beginning tells. */
async function hasZone(entry: Entry): Promise<boolean> {
  if (!isPage(entry.path)) return true;
  const head = Buffer.from(await headOf(entry, 262_144)).toString("utf8");
  const times = [...head.matchAll(/<br\s*\/?>([^<>]{8,60})(?=<)/g)].flatMap(([, text = ""]) => writtenTime(text) ?? []);
  return times.every(({ offset }) => offset !== null);
}

async function* readJson(entry: Entry, index: number): AsyncGenerator<Item> {
  const occurrences = new Occurrences();
  for await (const step of walk((at) => entry.bytes(at), { opens: (path) => path === "" })) {
    if (step.kind !== "value") continue;
    yield await eventOf(entry, step.element, occurrences);
    yield mark(index, step.element.end);
  }
}

async function eventOf(entry: Entry, element: Element, occurrences: Occurrences): Promise<Item> {
  const { value, offset, raw } = element;
  if (element.fault !== undefined) return faulty(entry, element);
  if (!isObject(value)) return aside(entry.path, offset, "not_an_event", "it is not an object", raw);
  const at = textIn(value.time);
  if (at === null || parseInstant(at) === null)
    return aside(entry.path, offset, "no_such_time", "it does not say when it happened", raw);
  const title = textIn(value.title);
  const url = textIn(value.titleUrl);
  const source = textIn(value.header) ?? textIn(listIn(value.products)[0]);
  const named = (list: unknown): string[] =>
    listIn(list).flatMap((each) => (isObject(each) ? (textIn(each.name) ?? []) : (textIn(each) ?? [])));
  const text = [...named(value.subtitles), ...(await answersIn(value.safeHtmlItem))];
  return activityRecord({
    id: occurrences.of(h1("google", source, at, title, url)),
    title,
    source,
    kind: verbOf(title),
    at,
    text: text.length === 0 ? null : text.join("\n"),
    url,
    details: [...new Set([...named(value.products), ...named(value.details), ...named(value.locationInfos)])],
  });
}

/** What Gemini answered. */
const answersIn = async (list: unknown): Promise<string[]> => {
  const pages = listIn(list).flatMap((each) => (isObject(each) ? (textIn(each.html) ?? []) : []));
  const texts = await Promise.all(pages.map(async (page) => (await htmlText(page, false)).trim()));
  return texts.filter((text) => text !== "");
};

/** The first word, in the language of the account. */
function verbOf(title: string | null): string | null {
  const word = /^(Watched|Visited|Searched|Viewed|Listened|Used|Liked|Read|Installed|Saved)\b/.exec(title ?? "")?.[1];
  return word === undefined ? null : word.toLowerCase();
}

async function* readPage(entry: Entry, answers: Answers, index: number): AsyncGenerator<Item> {
  try {
    yield* eventsOf(entry, answers, index);
  } catch (error) {
    if (!(error instanceof NestedTooDeep)) throw error;
    yield aside(entry.path, 0, "too_deep", error.message);
  }
}

async function* eventsOf(entry: Entry, answers: Answers, index: number): AsyncGenerator<Item> {
  const occurrences = new Occurrences();
  for await (const { header, lines, url, captions, end } of activityCells(entry.bytes())) {
    // When it was stands at the end; behind it only what Gemini answered.
    const at = lines.findIndex((line, n) => n > 0 && writtenTime(line) !== null);
    const written = lines.at(at) ?? "";
    const time = at < 0 ? null : withOffset(writtenTime(written), answers.time_zone);
    const title = lines[0] ?? null;
    if (time === null) {
      const reason = `its time is not one that can be read (${written.slice(0, 60)}); export again and choose JSON`;
      yield aside(entry.path, end, "no_such_time", reason, lines.join("\n"));
    } else {
      const text = lines.filter((_, n) => n > 0 && n !== at).join("\n");
      yield activityRecord({
        id: occurrences.of(h1("google", header, time.sentAt, title, url)),
        title,
        source: header,
        kind: verbOf(title),
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
