import { buildHitRead } from "@pdpp/test-support/mcp/clients";
import { type Call, parseReading } from "../mcp/hosts/reading.ts";
import { toReadableText } from "./words.ts";

/** Parses the hits of a search page from the text a host shows. */
export interface ShownHit {
  readonly id: string;
  /** The line that names the record. */
  readonly head: string;
  readonly passages: readonly string[];
  /** The call that reads on. */
  readonly call: Call | undefined;
}

export const parseHits = (shown: string): ShownHit[] =>
  shown.startsWith("{") ? parseJsonHits(shown) : parseTextHits(shown);

/** The hit as the model sees it, without the call. */
export const getHitWords = ({ head, passages }: ShownHit): string => [head, ...passages].join("\n");

/** Field and position of a passage, before its text. */
const whereabouts = /^\s*[\w.]+(?: \([^)]*\))?: /;

/** Lines about the page, after its hits. */
const pageLine = /^(?:Sources: |\d+ hits? on this page|Hit \d+ is above)/;

/** A hit starts with its number and ends at the next one or at the page's own lines. Its first call reads on. */
function parseTextHits(shown: string): ShownHit[] {
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
    const [call] = parseReading(line).calls;
    if (call === undefined) last.lines.push(line);
    else last.call ??= call;
  }
  return hits.map(({ lines: [head = "", ...passages], call }) => ({
    id: String(call?.arguments.id ?? ""),
    head: toReadableText(head),
    passages: passages.map((line) => toReadableText(line.replace(whereabouts, ""))),
    call,
  }));
}

type Fields = { readonly [name: string]: unknown };

/** Keys that name the record; everything else in a hit is evidence. */
const headNames = ["title", "event_time", "stream", "connector_key", "display_name"];

function parseJsonHits(shown: string): ShownHit[] {
  const page: Fields = toFields(JSON.parse(shown));
  const ladder = toList(toFields(page.content_ladder).records);
  return toList(page.results).map(({ id, url: _, read, ...result }) => {
    const steps = ladder.filter((step) => step.id === id);
    const [head, below] = [true, false].map((is) =>
      Object.fromEntries(Object.entries(result).filter(([name]) => headNames.includes(name) === is)),
    );
    return {
      id: String(id),
      head: toReadableText(listStrings(head).join(" | ")),
      passages: [...new Set([below, ...steps].flatMap(listStrings))].map(toReadableText),
      call: parseCall(read) ?? buildHitRead({ ...result, id: String(id) }),
    };
  });
}

const isFields = (value: unknown): value is Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value);
const toFields = (value: unknown): Fields => (isFields(value) ? value : {});
const toList = (value: unknown): Fields[] => (Array.isArray(value) ? value.filter(isFields) : []);

function parseCall(value: unknown): Call | undefined {
  const { tool, arguments: args } = toFields(value);
  return typeof tool === "string" && isFields(args) ? { tool, arguments: args } : undefined;
}

/** Collects the texts in a value, without names and offsets. */
function listStrings(value: unknown): string[] {
  if (typeof value === "string") return [value];
  if (typeof value === "number") return [String(value)];
  if (Array.isArray(value)) return value.flatMap(listStrings);
  return Object.entries(toFields(value)).flatMap(([name, inner]) =>
    ["field_path", "matched", "chars", "read", "id", "tool", "arguments"].includes(name) ? [] : listStrings(inner),
  );
}
