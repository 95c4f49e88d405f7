import type { Json, JsonObject } from "@pdpp/contract/declaration";
import type { EvidenceCard, FieldPresentation, RecordList, WireTombstone } from "@pdpp/contract/wire";
import { completeness, presentedFields, restOf } from "../card.ts";
import { spellHandle } from "../handle.ts";
import { blobReads, blobUris } from "./bytes.ts";
import { callLine, fetchCall, literal, oneLine, toolCall } from "./call.ts";
import { fieldLines, fieldName, fieldObject } from "./field.ts";
import type { Form } from "./size.ts";

/** Cards in the two forms of a tool's result. What all cards of a page have in common is said once. */

export type ListItem = RecordList["data"][number];
type ListedCard = Extract<ListItem, { object: "evidence_card" }>;

const isCard = (item: ListItem): item is ListedCard => item.object === "evidence_card";
const isTombstone = (item: ListItem): item is WireTombstone => "deleted" in item && item.deleted === true;

const sharable = [
  "connector_key",
  "stream",
  "connection_id",
  "display_name",
  "record_version",
  "emitted_at",
] as const satisfies readonly (keyof EvidenceCard)[];
type Sharable = (typeof sharable)[number];

export type Shared = { readonly [K in Sharable]?: string };

/** What every card of a page says of where it comes from. */
export function sharedOf(items: readonly ListItem[]): Shared {
  const cards = items.filter(isCard);
  const [first] = cards;
  if (first === undefined) return {};
  const same = sharable.flatMap((name): [Sharable, string][] => {
    const value = first[name];
    return value !== undefined && cards.every((card) => card[name] === value) ? [[name, value]] : [];
  });
  return Object.fromEntries(same);
}

export function sharedLine(shared: Shared): string[] {
  const { connector_key: key, display_name: label, connection_id: id, record_version, emitted_at } = shared;
  const source = [...(key === undefined ? [] : [key]), ...(label === undefined ? [] : [literal(label)])];
  const said = [
    ...(source.length === 0 ? [] : [source.join(" ")]),
    ...(id === undefined ? [] : [`connection ${id}`]),
    ...(record_version === undefined ? [] : [`version ${record_version}`]),
    ...(emitted_at === undefined ? [] : [`stored ${emitted_at}`]),
  ];
  return said.length === 0 ? [] : [`All: ${said.join(", ")}`];
}

/** An item of a list, without its number. `brief`: it is too large to be shown with others, or at all. */
export function itemForm(item: ListItem, shared: Shared, brief = false): Form {
  if (isCard(item)) return brief ? cardForm(item, shared, brief) : madeOnce(item, shared);
  if (isTombstone(item)) {
    const id = spellHandle({ connectionId: item.connection_id, stream: item.stream, recordId: item.id });
    return {
      lines: [`deleted ${item.deleted_at}: ${literal(id)}`],
      objects: [{ id, deleted: true, deleted_at: item.deleted_at }],
    };
  }
  // A server of another make sends records where cards were asked for.
  const id = spellHandle({ connectionId: item.connection_id, stream: item.stream, recordId: item.id });
  return {
    lines: [literal(id), callLine(fetchCall(id))],
    objects: [{ id, read: fetchCall(id) }],
  };
}

const made = new WeakMap<ListedCard, { readonly leftOut: string; readonly form: Form }>();

/** A reader in the same process ends its page by the forms that the adapter then shows. What is shared is the card's own. */
function madeOnce(card: ListedCard, shared: Shared): Form {
  const leftOut = Object.keys(shared).join();
  const known = made.get(card);
  if (known?.leftOut === leftOut) return known.form;
  const form = cardForm(card, shared, false);
  made.set(card, { leftOut, form });
  return form;
}

function cardForm(card: ListedCard, shared: Shared, brief: boolean): Form {
  const { id, title, complete, event_time: time } = card;
  const own = Object.fromEntries(
    sharable.flatMap((name) => {
      const value = card[name];
      return value === undefined || shared[name] !== undefined ? [] : [[name, value]];
    }),
  );
  const head: JsonObject = {
    id,
    title,
    ...(time === undefined ? {} : { event_time: time }),
    ...own,
    complete: complete && !brief,
  };
  const headLine = [literal(title), ...(time === undefined ? [] : [literal(time)]), ...ownText(own)].join(" | ");
  if (brief) {
    const fetch = fetchCall(id);
    return {
      lines: [headLine, "too large to show here; not complete:", callLine(fetch)],
      objects: [{ ...head, read: fetch }],
    };
  }
  const fields = presentedFields(card);
  const related = relatedForm(card);
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
        fields: Object.fromEntries(
          fields.flatMap((field): [string, Json][] =>
            field.shown === "inline" ? [[field.field_path, field.value]] : [],
          ),
        ),
        ...unitsObject(fields),
        ...describedObject(fields),
        ...(card.omitted === undefined
          ? {}
          : { omitted: { count: card.omitted.count, read: toolCall(card.omitted.read) } }),
        ...(rest === undefined ? {} : { read: rest }),
        ...related.object,
      },
    ],
    uris: blobUris(blobReads(fields)),
  };
}

function ownText(own: { readonly [K in Sharable]?: string }): string[] {
  const { connector_key: key, stream, connection_id: id, display_name: label, record_version, emitted_at } = own;
  const source = [
    ...(key === undefined ? [] : [key]),
    ...(stream === undefined ? [] : [oneLine(stream)]),
    ...(label === undefined ? [] : [literal(label)]),
    ...(id === undefined ? [] : [id]),
  ];
  const stored = [
    ...(record_version === undefined ? [] : [`version ${record_version}`]),
    ...(emitted_at === undefined ? [] : [`stored ${emitted_at}`]),
  ];
  return [...(source.length === 0 ? [] : [source.join(" ")]), ...(stored.length === 0 ? [] : [stored.join(", ")])];
}

export const isEmpty = (value: Json): boolean =>
  value === null || value === "" || (typeof value === "object" && Object.keys(value).length === 0);

/** Values; then, in a line, the names of those that the head shows already, and of those that are empty. */
function valueLines(fields: readonly FieldPresentation[]): string[] {
  const inHead = fields.filter((field) => field.shown === "inline" && field.repeats === true);
  const empty = fields.flatMap((field) => (field.shown === "inline" && isEmpty(field.value) ? [field] : []));
  const values = fields.filter((field) => !inHead.includes(field) && !empty.some((each) => each === field));
  const notes = [
    ...(inHead.length === 0 ? [] : [`above: ${inHead.map(({ field_path }) => fieldName(field_path)).join(", ")}`]),
    ...(empty.length === 0
      ? []
      : [`empty: ${empty.map(({ field_path, value }) => `${fieldName(field_path)} ${literal(value)}`).join(", ")}`]),
  ];
  return [...values.flatMap(fieldLines), ...(notes.length === 0 ? [] : [notes.join("; ")])];
}

const unitsObject = (fields: readonly FieldPresentation[]): JsonObject => {
  const units = fields.flatMap((field): [string, Json][] =>
    field.shown === "inline" && field.unit !== undefined ? [[field.field_path, field.unit]] : [],
  );
  return units.length === 0 ? {} : { units: Object.fromEntries(units) };
};

const describedObject = (fields: readonly FieldPresentation[]): JsonObject => {
  const described = fields.filter(({ shown }) => shown !== "inline").map((field) => fieldObject(field));
  return described.length === 0 ? {} : { described };
};

/** Related records are named only; each has its own fetch. */
function relatedForm({ expanded = {} }: ListedCard): { lines: string[]; object: JsonObject } {
  const related = Object.entries(expanded).map(([name, value]) => {
    const list = value?.object === "list" ? value : undefined;
    const items = list === undefined ? (value === null ? [] : [value]) : list.data;
    const cards = items.flatMap((item) => (item?.object === "evidence_card" ? [item] : []));
    return { name, cards, more: list?.has_more === true, next: list?.next };
  });
  if (related.length === 0) return { lines: [], object: {} };
  const lines = related.flatMap(({ name, cards, more, next }) => [
    `${oneLine(name)}: ${cards.length === 0 ? "none" : `${cards.length} related${more ? ", not all" : ""}`}`,
    ...cards.flatMap(({ id, title }) => [`  ${literal(title)}`, callLine(fetchCall(id))]),
    ...(next === undefined ? [] : ["all of them:", callLine(toolCall(next))]),
  ]);
  const object = Object.fromEntries(
    related.map(({ name, cards, next }) => [
      name,
      {
        records: cards.map(({ id, title }) => ({ id, title, read: fetchCall(id) })),
        ...(next === undefined ? {} : { next: toolCall(next) }),
      },
    ]),
  );
  return { lines, object: { expanded: object } };
}
