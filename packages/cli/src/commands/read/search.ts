import { commandName } from "@pdpp/agent-setup/command-name";
import type { Reader } from "@pdpp/client/any-server";
import { PdppError } from "@pdpp/contract/errors";
import type { Input } from "@pdpp/contract/operations";
import type { SearchList } from "@pdpp/contract/wire";
import { formatEventTime } from "@pdpp/evidence/text/local-time";
import { getLocalClock, parseQuestionTime, type QuestionTime } from "@pdpp/language/dates/question-time";
import { type Command, Option } from "commander";
import {
  formatHitHead,
  formatNextPage,
  formatSearch,
  formatUnderstoodTime,
  selectWindow,
} from "../../render/search.ts";
import { formatFittedTable } from "../../render/terminal/table.ts";
import { formatCount, type View } from "../../render/view.ts";
import { omitUndefined } from "../../runtime/command.ts";
import { UsageError } from "../../runtime/failure.ts";
import { showWindow } from "./field-window.ts";
import { addFilterOptions, pickArguments } from "./lists.ts";
import { addReadCommand, onRead, type Reading } from "./reading.ts";

interface SearchOptions {
  readonly since?: string;
  readonly until?: string;
  readonly time: boolean;
  readonly open?: string;
}

/** Fits on one or two screens. */
const cardLimit = 10;

export function addSearch(group: Command): void {
  const search = addReadCommand(group, "search", "<words...>", "Search and show the matching passages", [
    'pdpp read search "boiler warranty"',
    'pdpp read search "boiler warranty" --open 2',
    `pdpp read search '"expansion vessel" -invoice' --since 2026-01-01 --streams messages`,
    'pdpp read search "what did the plumber write last March"',
    "pdpp read search http://127.0.0.1:7663 boiler --format jsonl --data",
  ])
    .option("--open <hit>", "open this hit at its match: 2, or 2.2 for its second passage")
    .option("--streams <names>", "only these streams, comma-separated")
    .option("--since <time>", "only records at or after this time (local time, or with an offset)")
    .option("--until <time>", "only records before this time")
    .option("--no-time", "treat dates in the query as search words")
    .option("--limit <n>", "1 to 100 hits (default: 25, or 10 as cards)")
    .option("--cursor <cursor>", "continue after the previous page")
    .option("--connection-id <id>", "only this connection")
    .addOption(new Option("--mode <mode>", "words are the only way of searching").choices(["lexical"]).hideHelp());
  onRead<SearchOptions>(addFilterOptions(search), async (reading) => {
    const { api, options, out, words } = reading;
    const q = words.join(" ");
    if (q.trim() === "")
      throw new UsageError(`missing search words; example: ${commandName} read search "boiler warranty"`);
    const collapse = out.format === "card" || options.open !== undefined;
    const { time: isTimed, ...given } = options;
    const narrowed = pickArguments("search", { ...(collapse ? { limit: cardLimit } : {}), ...given });
    const asWords: Input<"search"> = { q, ...narrowed, ...(isTimed ? {} : { time: "words" }) };
    const time = isTimed && options.since === undefined && options.until === undefined ? findTime(q) : null;
    const { list, asked } = await runSearch(api, asWords, time, collapse);
    const undo = asked === asWords ? undefined : dropTime(asWords);
    const isCard = out.format === "card" && options.open === undefined;
    if (undo !== undefined) out.note(formatUnderstoodTime(out.view, time!, undo, list.data.length === 0, isCard));
    if (options.open !== undefined) return openHit(reading, list, options.open);
    out.show(list, {
      card: (view) => formatSearch(view, list, asked, undo),
      table: (view) => formatSearchTable(view, list, asked),
    });
  });
}

const findTime = (question: string): QuestionTime | null => parseQuestionTime(question, getLocalClock(Date.now()));

/** Drops the cursor too, since it belongs to the original query. */
const dropTime = ({ cursor: _, ...asked }: Input<"search">): Input<"search"> => ({ ...asked, time: "words" });

/** Searches within the recognized period, or for all the words. */
async function runSearch(
  api: Reader,
  asWords: Input<"search">,
  time: QuestionTime | null,
  collapse: boolean,
): Promise<{ list: SearchList; asked: Input<"search"> }> {
  const search = (input: Input<"search">): Promise<SearchList> =>
    api.search({ ...input, ...(collapse ? { collapse: "similar" } : {}) });
  if (time !== null) {
    const { since, until, rest: q } = time;
    const asked = { ...asWords, q, ...omitUndefined({ since, until }) };
    try {
      return { list: await search(asked), asked };
    } catch (error) {
      // The date was only inferred, so if the server cannot filter by time, search for the words.
      if (!(error instanceof PdppError && (error.details.param === "since" || error.details.param === "until")))
        throw error;
    }
  }
  return { list: await search(asWords), asked: asWords };
}

function formatSearchTable(view: View, list: SearchList, asked: Input<"search">): string {
  const rows = list.data.map((hit) => [
    hit.id,
    formatEventTime(hit) ?? String(hit.event_time ?? hit.emitted_at),
    hit.title,
    hit.matched_fields.join(", "),
  ]);
  const shown = formatFittedTable(view, ["ID", "TIME", "TITLE", "MATCHED"], rows);
  return [shown, ...formatNextPage(view, list, asked)].join("\n");
}

async function openHit(reading: Reading<SearchOptions>, list: SearchList, chosen: string): Promise<void> {
  const [, hit, passage] = /^([1-9]\d*)(?:\.([1-9]\d*))?$/.exec(chosen) ?? [];
  if (hit === undefined)
    throw new UsageError("--open needs the number of a hit, such as 2, or 2.2 for its second passage");
  const call = selectWindow(list, Number(hit), passage === undefined ? undefined : Number(passage));
  if (call === null) {
    const shown = `this page has ${formatCount(list.data.length, "hit")}`;
    throw new PdppError("not_found", `there is no hit or passage ${chosen}; ${shown}`, {
      param: "open",
      next_step: "run the command without --open to see them",
    });
  }
  return showWindow(reading, call, (view) => formatHitHead(view, list.data[Number(hit) - 1]!));
}
