import { type FieldDeclaration, findField, type StreamDeclaration } from "@pdpp/contract/declaration";
import { formatInstant, parseInstant } from "@pdpp/contract/instant";
import type { Input, ReadApi } from "@pdpp/contract/operations";
import type { Aggregation, EvidenceCard } from "@pdpp/contract/wire";
import type { Names } from "../../frame/names.ts";
import { addMonths, getDayStart, getLocalDay } from "../calendar/days.ts";
import { listMonths } from "./money-question.ts";

/** Sums of transactions of one year in one currency. Amounts of different currencies are never added. */

export interface MoneyStream {
  readonly source: string;
  readonly declaration: StreamDeclaration;
  readonly amount: FieldDeclaration;
  readonly time: FieldDeclaration;
}

export interface Sums {
  /** Undefined if the amounts cannot be told apart by sign. */
  readonly side: "in" | "out" | undefined;
  readonly total: number;
  readonly months: ReadonlyMap<string, number>;
  readonly payees: readonly { readonly name: string; readonly count: number; readonly sum: number }[];
}

export interface Money {
  readonly months: readonly string[];
  readonly currencies: readonly { readonly unit: string; readonly count: number }[];
  readonly currency: string | undefined;
  /** Transactions that name no currency. */
  readonly withoutCurrency: number;
  readonly sums: readonly Sums[];
  readonly cards: readonly EvidenceCard[];
  readonly hasMore: boolean;
  /** The newest month with transactions before these, if it is not among the months just before. */
  readonly earlier: string | undefined;
}

const cardsShown = 25;
const [payeesAtOnce, maxPayeePages, payeesShown] = [100, 5, 12];

/** Streams of transactions whose amounts can be summed over time. */
export function listMoneyStreams(names: Names): MoneyStream[] {
  return names.sources.flatMap(({ id, streams }) =>
    streams.flatMap(({ name }): MoneyStream[] => {
      const declaration = names.declaration(id, name);
      if (declaration?.presentation?.kind !== "transaction" || !declaration.countable) return [];
      const amount = declaration.fields.find(
        ({ role, aggregations }) => role === "amount" && aggregations.includes("sum"),
      );
      const time = declaration.fields.find(
        ({ role, aggregations }) => role === "event-time" && aggregations.includes("group_by_time"),
      );
      const isRanged = time?.rangeOperators.includes("gte") && time.rangeOperators.includes("lt");
      return amount === undefined || time === undefined || !isRanged ? [] : [{ source: id, declaration, amount, time }];
    }),
  );
}

/** The month of the newest transaction, of those before a month if one is given. */
export async function findNewestMonth(
  reader: ReadApi,
  stream: MoneyStream,
  zone: string,
  before?: string,
): Promise<string | undefined> {
  const { source, declaration, time } = stream;
  const filter = before === undefined ? {} : { filter: { [time.name]: { lt: writeMonth(stream, before, zone) } } };
  const place = { connection_id: source, stream: declaration.name, ...filter };
  const { data } = await reader.queryRecords({ ...place, order: "desc", limit: 1, view: "evidence" });
  const [first] = data;
  const written = first?.object === "evidence_card" ? first.event_time : undefined;
  const at = typeof written === "string" ? parseInstant(written) : (written ?? null);
  return at === null ? undefined : getLocalDay(at, time.kind === "date" ? "UTC" : zone).slice(0, 7);
}

type Filter = NonNullable<Input<"aggregate">["filter"]>;

/** The filter for the months from `since` to `until`. */
export const filterMonths = (stream: MoneyStream, since: string, until: string, zone: string) => ({
  gte: writeMonth(stream, since, zone),
  lt: writeMonth(stream, addMonths(until, 1), zone),
});

const writeMonth = ({ time }: MoneyStream, month: string, zone: string): string =>
  time.kind === "date" ? `${month}-01` : formatInstant(getDayStart(`${month}-01`, zone));

export async function loadMoney(
  reader: ReadApi,
  stream: MoneyStream,
  until: string,
  wanted: string | undefined,
  zone: string,
): Promise<Money> {
  const { source, declaration, amount, time } = stream;
  const months = listMonths(until);
  const place = { connection_id: source, stream: declaration.name };
  const span: Filter = { [time.name]: filterMonths(stream, months[0] ?? until, until, zone) };
  const whole = await reader.aggregate({ ...place, metric: "sum", field: amount.name, filter: span });
  const units =
    whole.by_unit ?? (whole.unit === undefined ? [] : [{ unit: whole.unit, count: whole.filtered_record_count }]);
  const currencies = units.flatMap(({ unit, count }) => (unit === null ? [] : [{ unit, count }]));
  const chosen = currencies.find(({ unit }) => unit === wanted) ?? currencies[0];
  const currency = chosen?.unit;
  const filter: Filter =
    currency === undefined || amount.unitField === undefined ? span : { ...span, [amount.unitField]: currency };
  const sums = await loadSums(reader, stream, filter, zone);
  const previous = await findNewestMonth(reader, stream, zone, months[0] ?? until);
  const listed = await reader.queryRecords({ ...place, filter, view: "evidence", limit: cardsShown });
  return {
    months,
    currencies,
    currency,
    withoutCurrency: currency === undefined ? 0 : (units.find(({ unit }) => unit === null)?.count ?? 0),
    sums,
    cards: listed.data.filter((item): item is EvidenceCard => item.object === "evidence_card"),
    hasMore: listed.next_cursor !== undefined,
    earlier: previous !== undefined && previous < addMonths(months[0] ?? until, -months.length) ? previous : undefined,
  };
}

/** What came in and what went out; the whole where the manifest allows no ranges of amounts. */
async function loadSums(reader: ReadApi, stream: MoneyStream, filter: Filter, zone: string): Promise<Sums[]> {
  const { amount } = stream;
  if (!amount.rangeOperators.includes("lt") || !amount.rangeOperators.includes("gte"))
    return [await loadSide(reader, stream, filter, undefined, zone)];
  const [out, income] = await Promise.all([
    loadSide(reader, stream, { ...filter, [amount.name]: { lt: "0" } }, "out", zone),
    loadSide(reader, stream, { ...filter, [amount.name]: { gte: "0" } }, "in", zone),
  ]);
  // A shop's orders are all positive: they are neither income nor expenses.
  return out.months.size === 0 ? [{ ...income, side: undefined }] : [out, income];
}

async function loadSide(
  reader: ReadApi,
  stream: MoneyStream,
  filter: Filter,
  side: Sums["side"],
  zone: string,
): Promise<Sums> {
  const { source, declaration, amount, time } = stream;
  const asked = { connection_id: source, stream: declaration.name, metric: "sum", field: amount.name, filter } as const;
  const grouped = await reader.aggregate({
    ...asked,
    group_by_time: time.name,
    granularity: "month",
    limit: 100,
    ...(time.kind === "date" ? {} : { time_zone: zone }),
  });
  const months = new Map(
    (grouped.groups ?? []).flatMap(({ key, value }): [string, number][] =>
      typeof key === "string" && typeof value === "number" ? [[key.slice(0, 7), value]] : [],
    ),
  );
  const total = [...months.values()].reduce((sum, value) => sum + value, 0);
  return { side, total, months, payees: await loadPayees(reader, stream, asked) };
}

async function loadPayees(
  reader: ReadApi,
  { declaration }: MoneyStream,
  asked: Omit<Input<"aggregate">, "group_by">,
): Promise<Sums["payees"]> {
  const payee = findPayee(declaration);
  if (payee === undefined) return [];
  const groups: NonNullable<Aggregation["groups"]> = [];
  let cursor: string | undefined;
  for (let page = 0; page < maxPayeePages; page += 1) {
    const more = cursor === undefined ? {} : { cursor };
    const found = await reader.aggregate({ ...asked, group_by: payee, limit: payeesAtOnce, ...more });
    groups.push(...(found.groups ?? []));
    cursor = found.next_cursor;
    if (cursor === undefined) break;
  }
  return groups
    .flatMap(({ key, count, value }) =>
      typeof key === "string" && typeof value === "number" ? [{ name: key, count, sum: value }] : [],
    )
    .sort((a, b) => Math.abs(b.sum) - Math.abs(a.sum))
    .slice(0, payeesShown);
}

/** The field that names the other side: the declared payee, or the actor. */
export function findPayee(declaration: StreamDeclaration): string | undefined {
  const declared = declaration.presentation?.fields.payee;
  const field =
    declared === undefined ? declaration.fields.find(({ role }) => role === "actor") : findField(declaration, declared);
  return field?.aggregations.includes("group_by") === true ? field.name : undefined;
}
