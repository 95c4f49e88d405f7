import { formatEventTime } from "@pdpp/evidence/text/local-time";
import {
  type Call,
  type Card,
  type Detail,
  type Document,
  type Field,
  type Hit,
  type Link,
  type Nested,
  type NeutralAnswer,
  normalizeCard,
  type Passage,
  type Provenance,
  type Related,
  removeMarks,
  sortByPath,
  type Tombstone,
  type Window,
} from "./neutral.ts";

/** Parses the command line's cards line by line. */

type ToCall = (command: string) => Call;

class Lines {
  private at = 0;
  readonly lines: readonly string[];
  readonly toCall: ToCall;
  /** Units of the amounts read so far. */
  readonly units: string[] = [];

  constructor(text: string, toCall: ToCall) {
    this.lines = text.replace(/\n$/, "").split("\n");
    this.toCall = toCall;
  }

  get next(): string | undefined {
    return this.lines[this.at];
  }

  take(): string {
    const line = this.next;
    if (line === undefined) throw new Error(`the text ends early:\n${this.lines.join("\n")}`);
    this.at += 1;
    return line;
  }

  /** Consumes the next line if it matches. */
  match(form: RegExp): RegExpExecArray | null {
    const found = this.next === undefined ? null : form.exec(this.next);
    if (found !== null) this.at += 1;
    return found;
  }

  /** Reads the continuations that follow. */
  reads(): Call[] {
    const calls: Call[] = [];
    for (let found = this.match(/^-> (.*)$/s); found !== null; found = this.match(/^-> (.*)$/s))
      calls.push(this.toCall(found[1]!));
    return calls;
  }

  /** Reads record text between its boundary lines. */
  text(): string {
    const nonce = this.match(/^<<TEXT (\S+)$/)?.[1];
    const end = this.lines.indexOf(`${nonce} TEXT>>`, this.at);
    const text = this.lines.slice(this.at, end).join("\n");
    this.at = end + 1;
    return text;
  }

  end(): void {
    if (this.next !== undefined) throw new Error(`not understood: ${this.next}\nin:\n${this.lines.join("\n")}`);
  }
}

function source(lines: Lines): { id: string; provenance: Provenance } {
  const { id, event_time, provenance } = place(lines);
  const [, version, stored] = lines.match(/^ {2}version (\S+), stored (\S+)$/)!;
  return { id, provenance: { ...provenance, event_time, record_version: version!, emitted_at: stored! } };
}

/** Reads the lines up to the id, which has its own line. */
function place(lines: Lines): Pick<Hit, "id" | "provenance"> & Pick<Provenance, "event_time"> {
  const held: string[] = [];
  while (!/^ {2}[^\s/,"]+\/[^\s:,]+:./.test(lines.next!)) held.push(lines.take().slice(2));
  const [, label, connector, stream, time] = /^(?:(.*?), )?([\w-]+)\/([\w-]+)(?:, (.*))?$/s.exec(held.join(" "))!;
  const { shown, written } = parseTimes(time);
  const id = lines.take().slice(2);
  return {
    id,
    event_time: written,
    provenance: {
      connection_id: id.slice(0, id.indexOf("/")),
      connector_key: connector!,
      display_name: label,
      stream: stream!,
      time: shown,
    },
  };
}

/** The local time followed by the value in brackets, or the value alone. */
function parseTimes(text: string | undefined): { shown?: string | undefined; written?: string | undefined } {
  const [, local, value] =
    /^(\d{4}-\d\d-\d\d(?: \d\d:\d\d (?:UTC|[+-]\d\d:\d\d))?)(?: \((.*)\))?$/.exec(text ?? "") ?? [];
  if (value !== undefined) return { shown: local, written: value };
  return { shown: local ?? formatEventTime({ event_time: text }) ?? text, written: text };
}

function fields(lines: Lines): Field[] {
  const all: Field[] = [];
  for (let found = lines.match(/^ {2}(\S+) +(.*)$/); found !== null; found = lines.match(/^ {2}(\S+) +(.*)$/))
    all.push(field(lines, found[1]!, found[2]!));
  return sortByPath(all);
}

function field(lines: Lines, path: string, shown: string): Field {
  const reads = lines.reads();
  const begun = /^(".*") \((?:\d+ of \d+ items, )?(\d+) of (\d+) characters\)$/.exec(shown);
  if (begun !== null) {
    const preview = { text: JSON.parse(begun[1]!) as string, end: Number(begun[2]), total: Number(begun[3]) };
    return { path, preview, reads };
  }
  const encoded = /^([^"].*?), (\d+) characters: (pdpp read fetch .*)$/.exec(shown);
  if (encoded !== null) {
    const [, kind, total, way] = encoded;
    return { path, encoded: { kind: kind!, total: Number(total) }, reads: [], bytes: [lines.toCall(way!)] };
  }
  const blob = /^(".*?"), (\d+) bytes?: (pdpp read blob .*)$/.exec(shown);
  if (blob !== null) {
    const [, type, size, way] = blob;
    return { path, blobs: [{ type: JSON.parse(type!), size: Number(size) }], reads, bytes: [lines.toCall(way!)] };
  }
  const amount = /^(-?[\d.]+) ([^\s\d]\S*)$/.exec(shown);
  if (amount !== null) lines.units.push(amount[2]!);
  return { path, value: JSON.parse(amount?.[1] ?? shown), reads };
}

/** Fields shown elsewhere on the card, and empty ones. */
function notes(lines: Lines, as: { readonly [kind: string]: unknown }): Field[] {
  const line = lines.match(/^(?:title|time|id|unit|empty): .*$/)?.[0] ?? "";
  const [, above = "", empty] = /^(.*?)(?:(?:^|; )empty: (.*))?$/.exec(line) ?? [];
  return [
    ...above.split("; ").flatMap((each): Field[] => {
      const [, kind, path] = /^(\w+): (.*)$/.exec(each) ?? [];
      return kind === undefined ? [] : [{ path: path!, value: as[kind], reads: [] }];
    }),
    ...(empty?.split(/, (?=\S+ (?:null|""|\[\]|\{\}))/) ?? []).map((each): Field => {
      const at = each.indexOf(" ");
      return { path: each.slice(0, at), value: JSON.parse(each.slice(at + 1)), reads: [] };
    }),
  ];
}

function omitted(lines: Lines): Pick<Card, "omitted"> {
  const found = lines.match(/^and (\d+) more fields?$/);
  if (found === null) return {};
  const [read] = lines.reads();
  return { omitted: { count: Number(found[1]), ...(read === undefined ? {} : { read }) } };
}

const complete = (lines: Lines): boolean =>
  lines.match(/^(?:not complete|complete(?: except for the bytes)?)$/)![0] === "complete";

function related(lines: Lines): Related[] {
  const all: Related[] = [];
  const form = /^(\S+): (?:none|\d+ related(, not all)?)$/;
  for (let head = lines.match(form); head !== null; head = lines.match(form)) {
    const cards: Nested[] = [];
    while (/^ {2}"/.test(lines.next ?? "")) cards.push(nested(lines));
    const next = lines.match(/^show all$/);
    const more = head[2] !== undefined;
    all.push({ name: head[1]!, cards, more, ...(next === null ? {} : { next: lines.reads()[0]! }) });
  }
  return all;
}

/** A card indented one step; its command starts a line. */
function nested(outer: Lines): Nested {
  const held = [outer.take()];
  for (let line = outer.match(/^ {2}(?!").*$/); line !== null; line = outer.match(/^ {2}(?!").*$/)) held.push(line[0]);
  const [rest] = outer.reads();
  const lines = new Lines(held.map((line) => line.slice(2)).join("\n"), outer.toCall);
  const [, title, time] = lines.match(/^("(?:[^"\\]|\\.)*")(?:, ("(?:[^"\\]|\\.)*"))?$/)!;
  const id = lines.take().slice(2);
  const when = time === undefined ? undefined : (JSON.parse(time) as string);
  const shown = fields(lines);
  const as = {
    title: JSON.parse(title!),
    time: when,
    id: id.slice(id.indexOf(":") + 1),
    unit: lines.units[0],
  };
  const values = sortByPath([...shown, ...notes(lines, as)]);
  const cut = omitted(lines);
  const card = { id, title: as.title as string, time: when, fields: values, ...cut, complete: complete(lines), rest };
  lines.end();
  return card;
}

/** A line with a count, or a name for a single one; then the command. */
function links(lines: Lines): Link[] {
  const all: Link[] = [];
  const form = /^(?:(\d+)(\+)? )?([^\s:]+)$/;
  for (let found = lines.match(form); found !== null; found = lines.match(form)) {
    const [, count = "1", more, name] = found;
    all.push({ name: name!, count: Number(count), more: more !== undefined, read: lines.reads()[0]! });
  }
  return all;
}

function item(text: string, toCall: ToCall): Card | Tombstone {
  const lines = new Lines(text, toCall);
  const deleted = lines.match(/^deleted (\S+)$/);
  if (deleted !== null) return { id: source(lines).id, deleted: deleted[1]! };
  const title = JSON.parse(lines.take()) as string;
  const origin = source(lines);
  const held = fields(lines);
  const as = {
    title,
    time: origin.provenance.event_time,
    id: origin.id.slice(origin.id.indexOf(":") + 1),
    unit: lines.units[0],
  };
  const values = [...held, ...notes(lines, as)];
  const card = { ...origin, title, fields: sortByPath(values), ...omitted(lines), complete: complete(lines) };
  const [rest] = lines.reads();
  const relations = related(lines);
  lines.end();
  return { ...normalizeCard(card, rest), ...(relations.length === 0 ? {} : { related: relations }) };
}

export function parseRecords(text: string, toCall: ToCall): NeutralAnswer {
  const blocks = text.replace(/\n$/, "").split("\n\n");
  const foot = new Lines(blocks.at(-1)!, toCall);
  const [, count] = foot.match(/^\d+ records?(?: of (\d+))?$/) ?? foot.match(/^no records$/) ?? [];
  const isEmpty = text.startsWith("no records");
  const reads = foot.reads();
  // The commands of an empty list suggest what to read instead.
  const next = isEmpty ? undefined : reads[0];
  const later = foot.match(/^later, to see what changed since now$/) === null ? undefined : foot.reads()[0];
  foot.end();
  return {
    records: blocks.slice(0, -1).map((block) => item(block, toCall)),
    count: count === undefined ? undefined : Number(count),
    next,
    later,
  };
}

export function searchSaid(text: string, toCall: ToCall): NeutralAnswer {
  if (text.startsWith("Nothing found")) return { hits: [], count: 0, next: undefined };
  const blocks = text.replace(/\n$/, "").split("\n\n");
  const foot = blocks.at(-1)!;
  const lines = new Lines(foot.slice(foot.lastIndexOf("match")), toCall);
  lines.take();
  return {
    hits: blocks.slice(0, -1).map((block) => hit(block, toCall)),
    count: Number(/^\d+ of (?:at least )?(\d+)/.exec(foot)![1]),
    next: lines.reads()[0],
  };
}

function hit(block: string, toCall: ToCall): Hit {
  const lines = new Lines(block, toCall);
  const title = JSON.parse(removeMarks(lines.take().replace(/^\d+\. /, ""))) as string;
  const { event_time: _, ...origin } = place(lines);
  const told = lines.match(/^ {2}(?!\S+: )\S+ (?:"|-?\d|true|false).*$/);
  const passages: Passage[] = [];
  const form = /^ {2}(\S+): (… )?(".*")( …)?$/;
  for (let found = lines.match(form); found !== null; found = lines.match(form)) {
    const [, path, before, preview, after] = found;
    const text = JSON.parse(preview!) as string;
    passages.push({ path: path!, preview: text, before: before !== undefined, after: after !== undefined });
  }
  const [read] = lines.reads();
  const replied = lines.match(/^ {2}reply(?:, .*?)?: (".*")( …)?$/);
  const reply =
    replied === null
      ? undefined
      : { text: JSON.parse(replied[1]!) as string, truncated: replied[2] !== undefined, read: lines.reads()[0]! };
  const alike = lines.match(/^ {2}(\d+) more like this(?:, (.*?)(?:, …)?)?:$/);
  const similar =
    alike === null
      ? undefined
      : { count: Number(alike[1]), times: JSON.parse(`[${alike[2] ?? ""}]`) as unknown[], read: lines.reads()[0]! };
  lines.end();
  return { ...origin, title, details: parseDetails(told?.[0] ?? ""), passages, read: read!, reply, similar };
}

const scalar = String.raw`(?:"(?:[^"\\]|\\.)*"|-?[\d.]+|true|false)`;
const detail = new RegExp(String.raw`^[ ;]*(\S+) (${scalar}(?:, ${scalar})*)(?: ([^;… ]+))?( …)?(?=;|$)`);

/** `name value unit; name value …` */
function parseDetails(line: string): Detail[] {
  const details: Detail[] = [];
  for (let rest = line; rest.trim() !== ""; ) {
    const found = detail.exec(rest);
    if (found === null) throw new Error(`not a list of details: ${rest}`);
    const [whole, path, values, unit, more] = found;
    const list = JSON.parse(`[${removeMarks(values!)}]`) as unknown[];
    details.push({ path: path!, value: list.length === 1 ? list[0] : list, unit, truncated: more !== undefined });
    rest = rest.slice(whole.length);
  }
  return details.sort((a, b) => (a.path < b.path ? -1 : 1));
}

export function parseDocument(text: string, toCall: ToCall): NeutralAnswer {
  const lines = new Lines(text, toCall);
  const title = JSON.parse(lines.take()) as string;
  const origin = source(lines);
  lines.match(/^text of \S+$/);
  const body = lines.text();
  const cut: Document["cut"][number][] = [];
  const form = /^(\S+): characters 0 to (\d+) of (\d+)$/;
  for (let part = lines.match(form); part !== null; part = lines.match(form))
    cut.push({ path: part[1]!, end: Number(part[2]), total: Number(part[3]), read: lines.reads()[0]! });
  const document = {
    ...origin,
    title,
    text: body,
    cut,
    fields: fields(lines),
    ...omitted(lines),
    complete: complete(lines),
    links: links(lines),
    url: lines.match(/^page: (\S+)$/)?.[1] ?? "",
  };
  const relations = related(lines);
  lines.end();
  return { document: { ...document, ...(relations.length === 0 ? {} : { related: relations }) } };
}

export function parseWindow(text: string, toCall: ToCall): NeutralAnswer {
  const lines = new Lines(text, toCall);
  const path = lines.take();
  const origin = source(lines);
  const body = lines.text();
  const form =
    /^characters (\d+) to (\d+) of (\d+)(?: of (\w+) as JSON)?(?:(, all of it)|, [\d,]+ before, [\d,]+ after)(?:, match at (\d+) to (\d+))?$/;
  const [, start, end, total, type = "string", all, from, to] = lines.match(form)!;
  while (lines.match(/^characters \d+ to \d+ are encoded bytes$/) !== null) lines.reads();
  const step = (name: RegExp): Call | undefined => (lines.match(name) === null ? undefined : lines.reads()[0]);
  const window: Window = {
    ...origin,
    path,
    type,
    text: body,
    start: Number(start),
    end: Number(end),
    total: Number(total),
    complete: all !== undefined,
    match: from === undefined ? undefined : [Number(from), Number(to)],
    next: step(/^next$/),
    previous: step(/^previous$/),
  };
  lines.end();
  return { window };
}

export function aggregateSaid(text: string): NeutralAnswer {
  const lines = text.trimEnd().split("\n");
  const records = Number(/ over (\d+) records? of /.exec(lines.at(-1)!)![1]);
  if (!/ COUNT *$/.test(lines[0]!)) return { number: { values: lines.slice(0, -1).map(parseAmount), records } };
  const isCounted = !/ (SUM|MIN|MAX) /.test(lines[0]!);
  const groups = lines.slice(1, -1).flatMap((line) => {
    const found = isCounted ? /^(\S.*?) +(\d+) +█*$/.exec(line) : /^(\S.*?) {2,}(.+?) +(\d+)$/.exec(line);
    if (found === null) return [];
    const [, key = "", ...rest] = found;
    return isCounted
      ? [[keyOf(key), Number(rest[0])]]
      : [[keyOf(key), Number(rest[1]), rest[0]!.split(", ").map(parseAmount)]];
  });
  const others = Number(/^and (\d+) records? in other groups$/m.exec(text)?.[1] ?? 0);
  return { groups: { counts: groups, others, records } };
}

const parseAmount = (text: string): readonly [unknown, string | null] => {
  const [, value = "", unit = null] = /^(\S+)(?: ([A-Z]{3}))?(?: {2}\d+ records?)?$/.exec(text) ?? [];
  return [JSON.parse(value), unit];
};

/** A value is JSON; a time formatted by the server is not. */
const keyOf = (shown: string): unknown =>
  /^["\dtfn]/.test(shown) && !/^\d{4}-/.test(shown) ? JSON.parse(shown) : shown;

export function parseSchema(text: string): NeutralAnswer {
  const schema: string[] = [];
  const connections = new Set<string>();
  let [connector, stream] = ["", ""];
  const lines = text.split("\n");
  for (const [i, line] of lines.entries()) {
    const field = /^ {2}(\S+) +(\S+)$/.exec(line);
    if (field?.[1] === "FIELD" || /^$|^-> | {2}sorted by /.test(line)) continue;
    if (line.startsWith("t=type")) break;
    if (field !== null) schema.push(`${connector} ${stream} ${field[1]} ${field[2]}`);
    else {
      const [, name, sources = ""] = /^(\S+)(?: {2}(?:from )?(.*))?$/.exec(line)!;
      if (lines[i + 1]?.startsWith("  sorted by ")) stream = name!;
      else connector = name!;
      for (const id of sources.split(/, /).map((each) => each.replace(/ \(.*$/, "")))
        if (id !== "") connections.add(id);
    }
  }
  return { schema: schema.sort(), connections: [...connections].sort() };
}
