import type { FieldDeclaration, StreamDeclaration } from "@pdpp/contract/declaration";
import { formatInstant } from "@pdpp/contract/instant";
import type { Input, ReadApi } from "@pdpp/contract/operations";
import type { Day } from "@pdpp/language/dates/time-span";
import type { Names } from "../frame/names.ts";
import { getDaysRange } from "./calendar.ts";

/** The streams whose records happen at a time, so that they have a place on a day. */

export interface TimedStream {
  readonly connection: string;
  readonly declaration: StreamDeclaration;
  /** The time that its records are found and counted by. */
  readonly field: FieldDeclaration;
  /** Changes whenever the records change. */
  readonly state: string;
  readonly lastUpdated: string | null;
}

/** More streams than this are left out of days. */
const maxStreams = 400;

export async function listTimedStreams(reader: ReadApi, names: Names): Promise<TimedStream[]> {
  const { data } = await reader.streams({});
  return data
    .flatMap(({ connection_id: connection, name, record_count, last_updated }): TimedStream[] => {
      const declaration = names.declaration(connection, name);
      const field = declaration && findTimeField(declaration);
      if (declaration === undefined || field === undefined || record_count === 0) return [];
      if (isShownElsewhere(names, connection, declaration)) return [];
      const state = `${field.name} ${record_count} ${last_updated}`;
      return [{ connection, declaration, field, state, lastUpdated: last_updated }];
    })
    .slice(0, maxStreams);
}

/** The time field that a stream's records are counted by, if the manifest allows it. */
export function findTimeField({
  fields,
  consentTimeField,
  cursorField,
}: StreamDeclaration): FieldDeclaration | undefined {
  const usable = fields.filter(
    ({ aggregations, rangeOperators: operators }) =>
      aggregations.includes("group_by_time") && operators.includes("gte") && operators.includes("lt"),
  );
  return (
    usable.find(({ role }) => role === "event-time") ??
    usable.find(({ name }) => name === consentTimeField || name === cursorField)
  );
}

/** A conversation is shown by its messages, and an attachment or an item of an order by the record it belongs to. */
function isShownElsewhere(names: Names, connection: string, stream: StreamDeclaration): boolean {
  const find = (name: string) => names.declaration(connection, name);
  const kind = stream.presentation?.kind;
  if (kind === "person") return true;
  if (stream.conversation === undefined && (kind === undefined || kind === "document")) {
    const isPart = stream.relationships.some(({ cardinality, stream: parent, foreignKey }) => {
      if (cardinality !== "has_one") return false;
      const declared = find(parent);
      return (
        declared !== undefined &&
        findTimeField(declared) !== undefined &&
        declared.relationships.some((each) => each.stream === stream.name && each.foreignKey === foreignKey)
      );
    });
    if (isPart) return true;
  }
  return stream.relationships.some(({ cardinality, stream: child, foreignKey }) => {
    const messages = cardinality === "has_many" ? find(child) : undefined;
    return messages !== undefined && findThreadField(messages) === foreignKey;
  });
}

/** The field that says which conversation or mail thread a record belongs to. */
export const findThreadField = ({ conversation, presentation }: StreamDeclaration): string | undefined =>
  conversation?.within ?? presentation?.fields.thread;

type FilterInput = NonNullable<Input<"queryRecords">["filter"]>;

/** Records from one day up to, but not including, another. */
export function filterByDays({ field }: TimedStream, from: Day, to: Day, zone: string): FilterInput {
  if (field.kind === "date") return { [field.name]: { gte: from.toString(), lt: to.toString() } };
  const { start, end } = getDaysRange(from, to, zone);
  return { [field.name]: { gte: formatInstant(start), lt: formatInstant(end) } };
}

/** An all-day event is stored at midnight UTC, which may be another day in the owner's zone. */
export const hasAllDayRecords = ({ declaration: { fields, presentation } }: TimedStream): boolean =>
  presentation?.fields.all_day !== undefined || fields.some(({ type }) => type === "all-day");
