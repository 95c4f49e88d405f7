import { buildHitRead } from "@pdpp/test-support/mcp/clients";
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

/** What is said of the page, after its hits. */
const pageLine = /^(?:Sources: |\d+ hits? on this page|Hit \d+ is above)/;

/** A hit begins with its number and ends where the next one begins, or the page's own lines. The first of its calls reads on. */
function inText(shown: string): ShownHit[] {
  const hits: { lines: string[]; call?: Call }[] = [];
  let open = false;
  for (const line of shown.split("\n")) {
    if (/^\d+\. /.test(line)) {
      hits.push({ lines: [line] });
      open = true;
      continue;
    }
    if (pageLine.test(line)) open = false;
    const last = hits.at(-1);
    if (!open || last === undefined) continue;
    const [call] = readingOf(line).calls;
    if (call === undefined) last.lines.push(line);
    else last.call ??= call;
  }
  return hits.map(({ lines: [head = "", ...passages], call }) => ({
    id: String(call?.arguments.id ?? ""),
    head: readable(head),
    passages: passages.map((line) => readable(line.replace(whereabouts, ""))),
    call,
  }));
}

type Fields = { readonly [name: string]: unknown };

/** What names the record; all else that a hit says is evidence. */
const headNames = ["title", "event_time", "stream", "connector_key", "display_name"];

function inJson(shown: string): ShownHit[] {
  const page: Fields = fieldsOf(JSON.parse(shown));
  const ladder = listOf(fieldsOf(page.content_ladder).records);
  return listOf(page.results).map(({ id, url: _, read, ...result }) => {
    const steps = ladder.filter((step) => step.id === id);
    const [head, below] = [true, false].map((is) =>
      Object.fromEntries(Object.entries(result).filter(([name]) => headNames.includes(name) === is)),
    );
    return {
      id: String(id),
      head: readable(stringsIn(head).join(" | ")),
      passages: [...new Set([below, ...steps].flatMap(stringsIn))].map(readable),
      call: callOf(read) ?? buildHitRead({ ...result, id: String(id) }),
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
  if (typeof value === "number") return [String(value)];
  if (Array.isArray(value)) return value.flatMap(stringsIn);
  return Object.entries(fieldsOf(value)).flatMap(([name, inner]) =>
    ["field_path", "matched", "chars", "read", "id", "tool", "arguments"].includes(name) ? [] : stringsIn(inner),
  );
}
