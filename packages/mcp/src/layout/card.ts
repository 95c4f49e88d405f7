import type { Json, JsonObject } from "@pdpp/contract/declaration";
import type { Expanded, FieldPresentation, WireTombstone } from "@pdpp/contract/wire";
import { completeness, presentedFields, restOf } from "@pdpp/evidence/cards/card";
import {
  isCard,
  type ListedCard,
  type ListItem,
  type SharedFacts,
  sharableFacts,
} from "@pdpp/evidence/cards/shared-facts";
import { isEmpty } from "@pdpp/evidence/fields/field";
import { formatHandle } from "@pdpp/evidence/handles/handle";
import { timeWithValue } from "@pdpp/evidence/text/event-time";
import { literal, oneLine } from "@pdpp/evidence/text/literal";
import { blobReads, blobUris } from "./bytes.ts";
import { callLine, fetchCall, toolCall } from "./call.ts";
import { fieldLines, fieldName, fieldObject } from "./field.ts";
import type { Form } from "./part.ts";

/** Cards in the two forms of a tool's result. What all cards of a page have in common is said once. */

const isTombstone = (item: ListItem): item is WireTombstone => "deleted" in item && item.deleted === true;

export function sharedLine(shared: SharedFacts): string[] {
  const { connector_key: key, display_name: label, connection_id: id, record_version } = shared;
  const source = [...(key === undefined ? [] : [key]), ...(label === undefined ? [] : [literal(label)])];
  const said = [
    ...(source.length === 0 ? [] : [source.join(" ")]),
    ...(id === undefined ? [] : [`connection ${id}`]),
    ...(record_version === undefined ? [] : [`version ${record_version}`]),
  ];
  return said.length === 0 ? [] : [`All records: ${said.join(", ")}`];
}

/** An item of a list, without its number. `brief`: it is too large to be shown with others, or at all. */
export function itemForm(item: ListItem, shared: SharedFacts, brief = false): Form {
  if (isCard(item)) return cardForm(item, shared, brief);
  if (isTombstone(item)) {
    const id = formatHandle({ connectionId: item.connection_id, stream: item.stream, recordId: item.id });
    return {
      lines: [`deleted ${item.deleted_at}: ${literal(id)}`],
      objects: [{ id, deleted: true, deleted_at: item.deleted_at }],
    };
  }
  // A server of another make sends records where cards were asked for.
  const id = formatHandle({ connectionId: item.connection_id, stream: item.stream, recordId: item.id });
  return {
    lines: [literal(id), callLine(fetchCall(id))],
    objects: [{ id, read: fetchCall(id) }],
  };
}

function cardForm(card: ListedCard, shared: SharedFacts, brief: boolean): Form {
  const { id, title, complete, event_time, local_time } = card;
  const time = timeWithValue(card);
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
  const headLine = [literal(title), ...(time === undefined ? [] : [time]), ...ownText(own)].join(" | ");
  if (brief) {
    const fetch = fetchCall(id);
    return {
      lines: [headLine, "too large to show here; to read it:", callLine(fetch)],
      objects: [{ ...head, read: fetch }],
    };
  }
  const fields = presentedFields(card);
  const related = expandedForm(card.expanded);
  const next = restOf(card);
  const rest = next === undefined ? undefined : toolCall(next);
  return {
    lines: [
      headLine,
      `id: ${literal(id)}`,
      ...valueLines(fields),
      ...(card.omitted === undefined
        ? []
        : [`${card.omitted.count} more ${card.omitted.count === 1 ? "field" : "fields"}`]),
      ...(rest === undefined ? [completeness(card)] : ["not complete:", callLine(rest)]),
      ...related.lines,
    ],
    objects: [
      {
        ...head,
        ...fieldObjects(fields),
        ...(card.omitted === undefined
          ? {}
          : { omitted: { count: card.omitted.count, read: toolCall(card.omitted.read) } }),
        ...(rest === undefined ? {} : { read: rest }),
        ...related.object,
      },
    ],
    uris: [...blobUris(blobReads(fields)), ...related.uris],
  };
}

/** When it was stored is in the structured form: it seldom answers anything. */
function ownText(own: { readonly [K in keyof SharedFacts]?: string }): string[] {
  const { connector_key: key, stream, connection_id: id, display_name: label, record_version } = own;
  const source = [
    ...(key === undefined ? [] : [key]),
    ...(stream === undefined ? [] : [oneLine(stream)]),
    ...(label === undefined ? [] : [literal(label)]),
    ...(id === undefined ? [] : [id]),
  ];
  return [
    ...(source.length === 0 ? [] : [source.join(" ")]),
    ...(record_version === undefined ? [] : [`version ${record_version}`]),
  ];
}

/** Values; then, in a line, the names of those that the head shows already, and of those that are empty. */
function valueLines(fields: readonly FieldPresentation[]): string[] {
  const lines: string[] = [];
  const inHead: string[] = [];
  const empty: string[] = [];
  for (const field of fields) {
    const name = fieldName(field.field_path);
    if (field.shown === "inline" && field.repeats === true) inHead.push(name);
    else if (field.shown === "inline" && isEmpty(field.value)) empty.push(`${name} ${literal(field.value)}`);
    else lines.push(...fieldLines(field));
  }
  const notes: string[] = [];
  if (inHead.length > 0) notes.push(`shown above: ${inHead.join(", ")}`);
  if (empty.length > 0) notes.push(`empty: ${empty.join(", ")}`);
  if (notes.length > 0) lines.push(notes.join("; "));
  return lines;
}

/** Values by their names, the units of amounts, and what is described instead of shown. */
function fieldObjects(presented: readonly FieldPresentation[]): JsonObject {
  const values: [string, Json][] = [];
  const units: [string, Json][] = [];
  const described: Json[] = [];
  for (const field of presented) {
    if (field.shown === "inline") {
      values.push([field.field_path, field.value]);
      if (field.unit !== undefined) units.push([field.field_path, field.unit]);
    } else described.push(fieldObject(field));
  }
  return {
    fields: Object.fromEntries(values),
    ...(units.length === 0 ? {} : { units: Object.fromEntries(units) }),
    ...(described.length === 0 ? {} : { described }),
  };
}

/** A card among others of the same connection, whose stream is known: its id says the rest. */
const insideAnother: SharedFacts = Object.fromEntries(sharableFacts.map((name) => [name, ""]));

interface ExpandedForm {
  readonly lines: string[];
  readonly object: { readonly expanded?: JsonObject };
  readonly uris: string[];
}

/** Related records as cards, after the card or inside the document that brought them along. */
export function expandedForm(expanded: Expanded = {}): ExpandedForm {
  const related = Object.entries(expanded).map(([name, value]) => {
    const list = value?.object === "list" ? value : undefined;
    const items = list === undefined ? (value === null ? [] : [value]) : list.data;
    const forms = items.flatMap((item) =>
      item?.object === "evidence_card" ? [cardForm(item, insideAnother, false)] : [],
    );
    return { name, forms, more: list?.has_more === true, next: list?.next };
  });
  if (related.length === 0) return { lines: [], object: {}, uris: [] };
  const lines = related.flatMap(({ name, forms, more, next }) => [
    `${oneLine(name)}: ${forms.length === 0 && !more ? "none" : `${forms.length} related${more ? ", not all" : ""}`}`,
    ...forms.flatMap(({ lines: [head, ...rest] }) => [`+ ${head}`, ...rest]),
    ...(next === undefined ? [] : ["all of them:", callLine(toolCall(next))]),
  ]);
  const object = Object.fromEntries(
    related.map(({ name, forms, more, next }) => [
      name,
      {
        records: forms.flatMap(({ objects }) => objects),
        ...(more ? { has_more: true } : {}),
        ...(next === undefined ? {} : { next: toolCall(next) }),
      },
    ]),
  );
  const uris = related.flatMap(({ forms }) => forms.flatMap((form) => form.uris ?? []));
  return { lines, object: { expanded: object }, uris };
}
