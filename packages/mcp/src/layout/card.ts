import type { Json, JsonObject } from "@pdpp/contract/declaration";
import type { Expanded, FieldPresentation, WireTombstone } from "@pdpp/contract/wire";
import { describeCompleteness, getRemainingRead, listPresentedFields } from "@pdpp/evidence/cards/card";
import {
  isCard,
  type ListedCard,
  type ListItem,
  type SharedFacts,
  sharableFacts,
} from "@pdpp/evidence/cards/shared-facts";
import { isEmpty } from "@pdpp/evidence/fields/field";
import { formatHandle } from "@pdpp/evidence/handles/handle";
import { formatTimeWithValue } from "@pdpp/evidence/text/event-time";
import { toLabel, toLiteral, toOneLine } from "@pdpp/evidence/text/literal";
import { listBlobReads, listBlobUris } from "./bytes.ts";
import { createFetchCall, formatCall, toToolCall } from "./call.ts";
import { formatField, formatFieldName, layOutField } from "./field.ts";
import type { ResultPart } from "./part.ts";

/** Cards as text and JSON. Facts shared by all cards of a page are stated once. */

const isTombstone = (item: ListItem): item is WireTombstone => "deleted" in item && item.deleted === true;

export function formatSharedFacts(shared: SharedFacts): string[] {
  const { connector_key: key, display_name: label, connection_id: id, record_version } = shared;
  const source = [...(key === undefined ? [] : [key]), ...(label === undefined ? [] : [toLabel(label)])];
  const said = [
    ...(source.length === 0 ? [] : [source.join(" ")]),
    ...(id === undefined ? [] : [`connection ${id}`]),
    ...(record_version === undefined ? [] : [`version ${record_version}`]),
  ];
  return said.length === 0 ? [] : [`All records: ${said.join(", ")}`];
}

/** A list item without its number. `brief`: it is too large to be shown in full. */
export function layOutItem(item: ListItem, shared: SharedFacts, brief = false): ResultPart {
  if (isCard(item)) return layOutCard(item, shared, brief);
  if (isTombstone(item)) {
    const id = formatHandle({ connectionId: item.connection_id, stream: item.stream, recordId: item.id });
    return {
      lines: [`deleted ${item.deleted_at}: ${toLiteral(id)}`],
      objects: [{ id, deleted: true, deleted_at: item.deleted_at }],
    };
  }
  // Other servers send records instead of cards.
  const id = formatHandle({ connectionId: item.connection_id, stream: item.stream, recordId: item.id });
  return {
    lines: [toLiteral(id), formatCall(createFetchCall(id))],
    objects: [{ id, read: createFetchCall(id) }],
  };
}

function layOutCard(card: ListedCard, shared: SharedFacts, brief: boolean): ResultPart {
  const { id, title, complete, event_time, local_time } = card;
  const time = formatTimeWithValue(card);
  const own: { -readonly [K in keyof SharedFacts]: SharedFacts[K] } = {};
  for (const name of sharableFacts) {
    const value = card[name];
    if (value !== undefined && shared[name] === undefined) own[name] = value;
  }
  const head: JsonObject = {
    id,
    title,
    ...(event_time === undefined ? {} : { event_time }),
    ...(local_time === undefined ? {} : { local_time }),
    ...own,
    complete: complete && !brief,
  };
  const headLine = [toLiteral(title), ...(time === undefined ? [] : [time]), ...formatOwnFacts(own)].join(" | ");
  if (brief) {
    const fetch = createFetchCall(id);
    return {
      lines: [headLine, "too large to show here; to read it:", formatCall(fetch)],
      objects: [{ ...head, read: fetch }],
    };
  }
  const fields = listPresentedFields(card);
  const related = layOutExpanded(card.expanded);
  const next = getRemainingRead(card);
  const rest = next === undefined ? undefined : toToolCall(next);
  return {
    lines: [
      headLine,
      `id: ${toLiteral(id)}`,
      ...formatValues(fields),
      ...(card.omitted === undefined
        ? []
        : [`${card.omitted.count} more ${card.omitted.count === 1 ? "field" : "fields"}`]),
      ...(rest === undefined ? [describeCompleteness(card)] : ["not complete:", formatCall(rest)]),
      ...related.lines,
    ],
    objects: [
      {
        ...head,
        ...layOutFields(fields),
        ...(card.omitted === undefined
          ? {}
          : { omitted: { count: card.omitted.count, read: toToolCall(card.omitted.read) } }),
        ...(rest === undefined ? {} : { read: rest }),
        ...related.object,
      },
    ],
    uris: [...listBlobUris(listBlobReads(fields)), ...related.uris],
  };
}

/** The time of storage is only in the JSON; it rarely answers a question. */
function formatOwnFacts(own: { readonly [K in keyof SharedFacts]?: string }): string[] {
  const { connector_key: key, stream, connection_id: id, display_name: label, record_version } = own;
  const source = [
    ...(key === undefined ? [] : [key]),
    ...(stream === undefined ? [] : [toOneLine(stream)]),
    ...(label === undefined ? [] : [toLabel(label)]),
    ...(id === undefined ? [] : [id]),
  ];
  return [
    ...(source.length === 0 ? [] : [source.join(" ")]),
    ...(record_version === undefined ? [] : [`version ${record_version}`]),
  ];
}

/** Values, then one line naming fields that the heading already shows and fields that are empty. */
function formatValues(fields: readonly FieldPresentation[]): string[] {
  const lines: string[] = [];
  const inHead: string[] = [];
  const empty: string[] = [];
  for (const field of fields) {
    const name = formatFieldName(field.field_path);
    if (field.shown === "inline" && field.repeats === true) inHead.push(name);
    else if (field.shown === "inline" && isEmpty(field.value)) empty.push(`${name} ${toLiteral(field.value)}`);
    else lines.push(...formatField(field));
  }
  const notes: string[] = [];
  if (inHead.length > 0) notes.push(`shown above: ${inHead.join(", ")}`);
  if (empty.length > 0) notes.push(`empty: ${empty.join(", ")}`);
  if (notes.length > 0) lines.push(notes.join("; "));
  return lines;
}

/** Values by name, the units of amounts, and descriptions of what is not shown. */
function layOutFields(presented: readonly FieldPresentation[]): JsonObject {
  const values: [string, Json][] = [];
  const units: [string, Json][] = [];
  const described: Json[] = [];
  for (const field of presented) {
    if (field.shown === "inline") {
      values.push([field.field_path, field.value]);
      if (field.unit !== undefined) units.push([field.field_path, field.unit]);
    } else described.push(layOutField(field));
  }
  return {
    fields: Object.fromEntries(values),
    ...(units.length === 0 ? {} : { units: Object.fromEntries(units) }),
    ...(described.length === 0 ? {} : { described }),
  };
}

/** Facts that a nested card omits, because its parent and its id state them. */
const insideAnother: SharedFacts = Object.fromEntries(sharableFacts.map((name) => [name, ""]));

interface ExpandedPart {
  readonly lines: string[];
  readonly object: { readonly expanded?: JsonObject };
  readonly uris: string[];
}

/** Related records as cards, after the card or inside the document they belong to. */
export function layOutExpanded(expanded: Expanded = {}): ExpandedPart {
  const related = Object.entries(expanded).map(([name, value]) => {
    const list = value?.object === "list" ? value : undefined;
    const items = list === undefined ? (value === null ? [] : [value]) : list.data;
    const cards = items.flatMap((item) =>
      item?.object === "evidence_card" ? [layOutCard(item, insideAnother, false)] : [],
    );
    return { name, cards, more: list?.has_more === true, next: list?.next };
  });
  if (related.length === 0) return { lines: [], object: {}, uris: [] };
  const lines = related.flatMap(({ name, cards, more, next }) => [
    `${toOneLine(name)}: ${cards.length === 0 && !more ? "none" : `${cards.length} related${more ? ", not all" : ""}`}`,
    ...cards.flatMap(({ lines: [head, ...rest] }) => [`+ ${head}`, ...rest]),
    ...(next === undefined ? [] : ["all of them:", formatCall(toToolCall(next))]),
  ]);
  const object = Object.fromEntries(
    related.map(({ name, cards, more, next }) => [
      name,
      {
        records: cards.flatMap(({ objects }) => objects),
        ...(more ? { has_more: true } : {}),
        ...(next === undefined ? {} : { next: toToolCall(next) }),
      },
    ]),
  );
  const uris = related.flatMap(({ cards }) => cards.flatMap((card) => card.uris ?? []));
  return { lines, object: { expanded: object }, uris };
}
