import type { AccessDocument } from "@pdpp/contract/owner";
import type { Html } from "../frame/frame.tsx";
import type { Names } from "../frame/names.ts";
import { joinHtml } from "../frame/render/parts.tsx";
import { renderLabels, renderText, truncateLabel } from "../frame/render/values.tsx";
import { openArguments, type RequestArguments, type RequestFilter } from "./request-arguments.ts";

/** Describes an agent's action in a few words that follow its name. */

type Tense = "past" | "base";
type Verb = Readonly<Record<Tense, string>>;

const verbs = {
  list: { past: "listed", base: "list" },
  open: { past: "opened", base: "open" },
  count: { past: "counted", base: "count" },
  search: { past: "searched", base: "search" },
  read: { past: "read", base: "read" },
  export: { past: "exported", base: "export" },
  add: { past: "added up", base: "add up" },
  find: { past: "found", base: "find" },
} satisfies Record<string, Verb>;

interface Phrase {
  readonly verb: Verb;
  readonly object: Html | string;
}

const overview: Phrase = { verb: verbs.list, object: "the available data" };

const plainPhrases: Readonly<Record<string, Phrase>> = {
  schema: overview,
  connectors: overview,
  streams: overview,
  stream: overview,
  queryRecords: { verb: verbs.list, object: "records" },
  fetch: { verb: verbs.open, object: "a record" },
  aggregate: { verb: verbs.count, object: "records" },
  search: { verb: verbs.search, object: "" },
  readField: { verb: verbs.read, object: "a long text" },
  readBlob: { verb: verbs.open, object: "a file" },
  export: { verb: verbs.export, object: "records" },
};

/** `base` for what was only tried. */
export function renderPhrase(entry: AccessDocument, names: Names, tense: Tense = "past"): Html {
  const plain = plainPhrases[entry.operation];
  if (plain === undefined) return <>{entry.operation}</>;
  const asked = openArguments(entry, names);
  const { verb, object } = (asked && describe(asked)) ?? plain;
  return (
    <>
      {verb[tense]}
      {object !== "" && <> {object}</>}
    </>
  );
}

function describe(asked: RequestArguments): Phrase | undefined {
  const fields = asked.texts("fields").map(asked.labelField);
  switch (asked.operation) {
    case "search": {
      const words = asked.text("q");
      return words === undefined ? undefined : { verb: verbs.search, object: <>for {renderQuote(words)}</> };
    }
    case "queryRecords": {
      const what = asked.text("changes_since") === undefined ? "records" : "changes";
      return { verb: verbs.list, object: renderRows(fields, what, asked.filters) };
    }
    case "fetch":
      return fields.length === 0 ? undefined : { verb: verbs.read, object: renderRows(fields, "a record", []) };
    case "readField": {
      const [field, words] = [asked.text("field"), asked.text("q")];
      if (field === undefined) return undefined;
      const label = renderLabels([asked.labelField(field)]);
      return words === undefined
        ? { verb: verbs.read, object: <>{label} of a record</> }
        : {
            verb: verbs.search,
            object: (
              <>
                for {renderQuote(words)} in {label} of a record
              </>
            ),
          };
    }
    case "aggregate":
      return describeAggregate(asked);
    default:
      return undefined;
  }
}

function describeAggregate(asked: RequestArguments): Phrase {
  const field = asked.text("field");
  const label = field === undefined ? "values" : renderLabels([asked.labelField(field)]);
  const groups = [asked.text("group_by"), asked.text("group_by_time")].filter((path) => path !== undefined);
  const by =
    groups.length === 0 ? "" : <> by {asked.text("granularity") ?? renderLabels(groups.map(asked.labelField))}</>;
  const rest = (
    <>
      {by}
      {renderConditions(asked.filters)}
    </>
  );
  switch (asked.text("metric")) {
    case "sum":
      return {
        verb: verbs.add,
        object: (
          <>
            {label}
            {rest}
          </>
        ),
      };
    case "min":
      return {
        verb: verbs.find,
        object: (
          <>
            the lowest {label}
            {rest}
          </>
        ),
      };
    case "max":
      return {
        verb: verbs.find,
        object: (
          <>
            the highest {label}
            {rest}
          </>
        ),
      };
    case "count_distinct":
      return {
        verb: verbs.count,
        object: (
          <>
            different values of {label}
            {rest}
          </>
        ),
      };
    default:
      return { verb: verbs.count, object: <>records{rest}</> };
  }
}

const renderRows = (fields: readonly string[], what: string, filters: readonly RequestFilter[]): Html => (
  <>
    {fields.length > 0 && <>{renderLabels(fields)} of </>}
    {what}
    {renderConditions(filters)}
  </>
);

const maxConditions = 2;

const renderConditions = (filters: readonly RequestFilter[]): Html | "" =>
  filters.length === 0 ? (
    ""
  ) : (
    <>
      {" where "}
      {joinHtml(filters.slice(0, maxConditions), " and ", renderFilter)}
      {filters.length > maxConditions && " and more"}
    </>
  );

const renderFilter = ({ field, sign = "is", value }: RequestFilter): Html => (
  <>
    {renderText(truncateLabel(field))} {sign} {renderText(truncateLabel(value))}
  </>
);

const renderQuote = (words: string): Html => <>“{renderText(truncateLabel(words))}”</>;
