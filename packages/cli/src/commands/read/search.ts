import type { Reader } from "@pdpp/client/any-server";
import { PdppError } from "@pdpp/contract/errors";
import type { SearchList } from "@pdpp/contract/wire";
import { eventTimeText } from "@pdpp/evidence/text/local-time";
import { clockHere, type QuestionTime, timeIn } from "@pdpp/language/dates/question-time";
import { type Command, Option } from "commander";
import { nextPage, type SearchAsked, searchText, understood, windowOfHit } from "../../render/search.ts";
import { fittedTable } from "../../render/terminal/table.ts";
import { counted, type View } from "../../render/view.ts";
import { showWindow } from "./field-window.ts";
import { filterOf, filterOptions, names } from "./lists.ts";
import { given, numberOf, type Reading, readCommand, reads, usage } from "./reading.ts";

interface SearchOptions {
  readonly streams?: string;
  readonly limit?: string;
  readonly cursor?: string;
  readonly connectionId?: string;
  readonly filter?: string[];
  readonly filterJson?: string;
  readonly since?: string;
  readonly until?: string;
  readonly time: boolean;
  readonly open?: string;
}

/** So many hits fit on a screen or two. */
const cardLimit = 10;

export function addSearch(group: Command): void {
  const search = readCommand(group, "search", "<words...>", "Search for words; shows the passages that match", [
    'pdpp read search "boiler warranty"',
    'pdpp read search "boiler warranty" --open 2',
    `pdpp read search '"expansion vessel" -invoice' --since 2026-01-01 --streams messages`,
    'pdpp read search "what did the plumber write last March"',
    "pdpp read search http://127.0.0.1:7663 boiler --format jsonl --data",
  ])
    .option("--open <hit>", "read this hit at its match: 2, or 2.2 for its second passage")
    .option("--streams <names>", "only these streams, comma-separated")
    .option("--since <time>", "only records from this time on: a local date or time, or one with an offset")
    .option("--until <time>", "only records before this time")
    .option("--no-time", "a time in the question is words like others, not --since and --until")
    .option("--limit <n>", "1 to 100 hits (default: 25, or 10 as cards)")
    .option("--cursor <cursor>", "continue after the previous page")
    .option("--connection-id <id>", "only this connection")
    .addOption(new Option("--mode <mode>", "words are the only way of searching").choices(["lexical"]).hideHelp());
  reads<SearchOptions>(filterOptions(search), async (reading) => {
    const { api, options, out, words } = reading;
    const q = words.join(" ");
    if (q.trim() === "") throw usage(`missing search words, as in: pdpp read search "boiler warranty"`);
    const narrowed = given({
      streams: options.streams === undefined ? undefined : names(options.streams),
      connection_id: options.connectionId,
      filter: filterOf(options),
      since: options.since,
      until: options.until,
      limit: numberOf(options.limit) ?? (out.format === "card" || options.open !== undefined ? cardLimit : undefined),
      cursor: options.cursor,
    });
    const asWords: SearchAsked = { q, ...narrowed, ...(options.time ? {} : { no_time: true }) };
    const time = options.time && options.since === undefined && options.until === undefined ? timeOf(q) : null;
    const collapse = out.format === "card" || options.open !== undefined;
    const { list, asked } = await searched(api, asWords, time, collapse);
    const undo = asked === asWords ? undefined : withoutTime(asWords);
    const isCard = out.format === "card" && options.open === undefined;
    if (undo !== undefined) out.note(understood(out.view, time!, undo, list.data.length === 0, isCard));
    if (options.open !== undefined) return open(reading, list, options.open);
    out.show(list, {
      card: (view) => searchText(view, list, asked, undo),
      table: (view) => searchTable(view, list, asked),
    });
  });
}

const timeOf = (question: string): QuestionTime | null => timeIn(question, clockHere(Date.now()));

/** The first page for the words alone: a cursor belongs to the question it was made for. */
const withoutTime = ({ cursor: _, ...asked }: SearchAsked): SearchAsked => ({ ...asked, no_time: true });

/** The search inside the time that was understood, or for all the words. */
async function searched(
  api: Reader,
  asWords: SearchAsked,
  time: QuestionTime | null,
  collapse: boolean,
): Promise<{ list: SearchList; asked: SearchAsked }> {
  const search = ({ no_time: _, ...input }: SearchAsked): Promise<SearchList> =>
    api.search({ ...input, ...(collapse ? { collapse: "similar" } : {}) });
  if (time !== null) {
    const { since, until, rest: q } = time;
    const asked = { ...asWords, q, ...given({ since, until }) };
    try {
      return { list: await search(asked), asked };
    } catch (error) {
      // Nobody asked for it by name, so a server that has no times to search in is asked for the words.
      if (!(error instanceof PdppError && (error.details.param === "since" || error.details.param === "until")))
        throw error;
    }
  }
  return { list: await search(asWords), asked: asWords };
}

function searchTable(view: View, list: SearchList, asked: SearchAsked): string {
  const rows = list.data.map((hit) => [
    hit.id,
    eventTimeText(hit) ?? String(hit.event_time ?? hit.emitted_at),
    hit.title,
    hit.matched_fields.join(", "),
  ]);
  const shown = fittedTable(view, ["ID", "TIME", "TITLE", "MATCHED"], rows);
  return [shown, ...nextPage(view, list, asked)].join("\n");
}

async function open(reading: Reading<SearchOptions>, list: SearchList, chosen: string): Promise<void> {
  const [, hit, passage] = /^([1-9]\d*)(?:\.([1-9]\d*))?$/.exec(chosen) ?? [];
  if (hit === undefined) throw usage("--open takes the number of a hit, as in --open 2, or 2.2 for its second passage");
  const call = windowOfHit(list, Number(hit), passage === undefined ? undefined : Number(passage));
  if (call === null) {
    const shown = `this page has ${counted(list.data.length, "hit")}`;
    throw new PdppError("not_found", `there is no hit or passage ${chosen}; ${shown}`, {
      param: "open",
      next_step: "run the command without --open to see them",
    });
  }
  return showWindow(reading, call);
}
