import type { AccessDocument } from "@pdpp/contract/owner";
import type { Html } from "../frame/frame.tsx";
import type { Names } from "../frame/names.ts";
import { joinHtml, renderTerm } from "../frame/render/parts.tsx";
import { formatCount, formatNumber, renderText } from "../frame/render/values.tsx";
import { listSources, openArguments, type RequestArguments } from "./request-arguments.ts";

/** "What it asked" on the page of a log entry. */

export function renderRequest(entry: AccessDocument, names: Names): Html {
  return (
    <>
      <h2>What it asked</h2>
      {renderAnswer(entry, names)}
    </>
  );
}

function renderAnswer(entry: AccessDocument, names: Names): Html {
  const { request } = entry;
  const asked = openArguments(entry, names);
  if (request == null || asked === undefined)
    return <p class="soft">{request === null ? "Deleted together with the data it was about." : "Not in the log."}</p>;
  const lines = listLines(asked, entry, names);
  return (
    <>
      {lines.length === 0 ? (
        <p class="soft">No search words, filters or fields.</p>
      ) : (
        <dl class="facts">{lines.map(([label, value]) => renderTerm(label, value))}</dl>
      )}
      {request.shortened && <p class="soft">Long values were shortened.</p>}
      <details>
        <summary>Technical details</summary>
        <pre dir="auto">{escapeDirections(JSON.stringify(request, null, 2))}</pre>
      </details>
    </>
  );
}

/** Characters that change the direction of text would reorder the JSON around them. */
const escapeDirections = (json: string): string =>
  json.replaceAll(/[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g, (mark) => {
    const code = mark.charCodeAt(0).toString(16).padStart(4, "0");
    return `\\u${code}`;
  });

type Line = readonly [string, Html];

function listLines(asked: RequestArguments, entry: AccessDocument, names: Names): Line[] {
  const { text, texts, filters, labelField, labelStream } = asked;
  const list = (items: readonly string[]): Html | undefined =>
    items.length === 0 ? undefined : joinHtml(items, ", ", renderText);
  const listOne = (value: string | undefined, label = (each: string): string => each): Html | undefined =>
    value === undefined ? undefined : renderText(label(value));
  const source = text("connection_id") === undefined ? [] : listSources(entry);
  const streams = [text("stream"), ...texts("streams")].filter((each) => each !== undefined);
  const lines: readonly (readonly [string, Html | undefined])[] = [
    ["Search words", listOne(text("q"))],
    ["Source", list(source.map(names.source))],
    ["Kind", list(streams.map(labelStream))],
    ["Record", listOne(text("record_id"))],
    ["File", listOne(text("blob_id"))],
    ["Filters", filters.length === 0 ? undefined : joinHtml(filters, ", ", renderFilter)],
    ["From", listOne(text("since"))],
    ["Before", listOne(text("until"))],
    ["Changes", describeChanges(text("changes_since"))],
    ["Calculation", listOne(text("metric"), (metric) => metrics[metric] ?? metric)],
    ["Field", listOne(text("field"), labelField)],
    [
      "Grouped by",
      list([text("group_by"), text("group_by_time")].filter((path) => path !== undefined).map(labelField)),
    ],
    ["Interval", listOne(text("granularity"))],
    ["Order", describeOrder(asked)],
    ["Fields", list(texts("fields").map(labelField))],
    ["Related records", list(texts("expand"))],
    ["Page", describePage(asked, entry.request?.continued === true)],
  ];
  return lines.flatMap(([label, value]): Line[] => (value === undefined ? [] : [[label, value]]));
}

const metrics: Readonly<Record<string, string>> = {
  count: "number of records",
  sum: "sum",
  min: "lowest value",
  max: "highest value",
  count_distinct: "number of different values",
};

const renderFilter = ({ field, sign = "is", value }: RequestArguments["filters"][number]): Html => (
  <>
    {renderText(field)} {sign} {renderText(value)}
  </>
);

const describeChanges = (since: string | undefined): Html | undefined =>
  since === undefined ? undefined : <>{since === "beginning" ? "all" : "since an earlier read"}</>;

function describeOrder({ text, texts, labelField }: RequestArguments): Html | undefined {
  const sort = texts("sort");
  const order = text("order");
  if (sort.length > 0)
    return joinHtml(sort, ", ", (path) => (
      <>
        {renderText(labelField(path.replace(/^-/, "")))}, {path.startsWith("-") ? "descending" : "ascending"}
      </>
    ));
  return order === undefined ? undefined : <>{order === "asc" ? "oldest first" : "newest first"}</>;
}

function describePage({ operation, number }: RequestArguments, isContinued: boolean): Html | undefined {
  const unit = operation === "readField" ? "part" : "page";
  const [limit, start, end, chars] = ["limit", "offset_chars", "end_chars", "limit_chars"].map(number);
  const parts = [
    ...(isContinued ? [operation === "export" ? "continued" : `next ${unit}`] : []),
    ...(limit === undefined ? [] : [`up to ${formatCount(limit, operation === "aggregate" ? "group" : "record")}`]),
    ...(start === undefined ? [] : [`from character ${formatNumber(start)}`]),
    ...(end === undefined ? [] : [`up to character ${formatNumber(end)}`]),
    ...(chars === undefined ? [] : [`at most ${formatCount(chars, "character")}`]),
  ];
  return parts.length === 0 ? undefined : <>{parts.join(", ")}</>;
}
