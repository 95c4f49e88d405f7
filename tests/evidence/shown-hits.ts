import { type Call, readingOf } from "../mcp/hosts/reading.ts";
import { readable } from "./words.ts";

/** The hits of a page of search, from nothing but the characters that a host shows of it. */
export interface ShownHit {
  readonly id: string;
  /** The line that names the record. */
  readonly head: string;
  readonly passages: readonly string[];
  /** The call that leads on from the hit. */
  readonly call: Call | undefined;
}

export const shownHits = (shown: string): ShownHit[] => (shown.startsWith("{") ? inJson(shown) : inText(shown));

/** What a model sees of the hit, but for the call. */
export const wordsOfHit = ({ head, passages }: ShownHit): string => [head, ...passages].join("\n");

/** The field and the place of a passage, before its text. */
const whereabouts = /^\s*[\w.]+(?: \([^)]*\))?: /;

/** A hit begins with its number and ends with its call, or where the next one begins. */
function inText(shown: string): ShownHit[] {
  const hits: { lines: string[]; call?: Call }[] = [];
  let open = false;
  for (const line of shown.split("\n")) {
    if (/^\d+\. /.test(line)) {
      hits.push({ lines: [line] });
      open = true;
      continue;
    }
    const last = hits.at(-1);
    if (!open || last === undefined) continue;
    const [call] = readingOf(line).calls;
    if (call === undefined) last.lines.push(line);
    else {
      last.call = call;
      open = false;
    }
  }
  return hits.map(({ lines: [head = "", ...passages], call }) => ({
    id: String(call?.arguments.id ?? ""),
    head: readable(head),
    passages: passages.map((line) => readable(line.replace(whereabouts, ""))),
    call,
  }));
}

type Fields = { readonly [name: string]: unknown };

function inJson(shown: string): ShownHit[] {
  const page: Fields = fieldsOf(JSON.parse(shown));
  const ladder = listOf(fieldsOf(page.content_ladder).records);
  return listOf(page.results).map(({ id, url: _, ...result }) => {
    const steps = ladder.filter((step) => step.id === id);
    const [passages, head] = [true, false].map((is) =>
      Object.entries(result).flatMap(([name, value]) => (name.includes("preview") === is ? [value] : [])),
    );
    return {
      id: String(id),
      head: readable(stringsIn(head).join(" | ")),
      passages: [...new Set([passages, ...steps].flatMap(stringsIn))].map(readable),
      call: steps.map(({ read }) => callOf(read)).find((call) => call !== undefined),
    };
  });
}

const isFields = (value: unknown): value is Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value);
const fieldsOf = (value: unknown): Fields => (isFields(value) ? value : {});
const listOf = (value: unknown): Fields[] => (Array.isArray(value) ? value.filter(isFields) : []);

function callOf(value: unknown): Call | undefined {
  const { tool, arguments: args } = fieldsOf(value);
  return typeof tool === "string" && isFields(args) ? { tool, arguments: args } : undefined;
}

/** The texts in a value; names and offsets tell nothing of the record. */
function stringsIn(value: unknown): string[] {
  if (typeof value === "string") return [value];
  if (Array.isArray(value)) return value.flatMap(stringsIn);
  return Object.entries(fieldsOf(value)).flatMap(([name, inner]) =>
    ["field_path", "read", "id", "tool", "arguments"].includes(name) ? [] : stringsIn(inner),
  );
}
