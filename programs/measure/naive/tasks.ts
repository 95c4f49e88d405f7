import type { JsonObject } from "@pdpp/contract/declaration";
import { demoQuestions } from "../../../tests/evidence/demo-questions.ts";

/** Forty fixed tasks over the demo household, each solved through pdpp and through two naive servers on the same records. */

interface FindTask {
  readonly kind: "find";
  readonly question: string;
  /** Spellings of the answer. */
  readonly answers: readonly string[];
  /** Words that a person who writes SQL would look for. */
  readonly keywords: readonly string[];
}

interface ReadTask {
  readonly kind: "read";
  readonly question: string;
  readonly connection: string;
  readonly stream: string;
  /** The call that an agent makes after it has seen the schema. */
  readonly tool: "aggregate" | "query_records";
  readonly arguments: JsonObject;
  /** The answer, from all records of the stream. */
  compute(records: readonly JsonObject[]): string;
  /** The statement that an agent writes after it has seen the table. */
  readonly sql: string;
}

export type NaiveTask = FindTask | ReadTask;

/** Every fourth question about the demo, so that none is chosen for its outcome. */
const keywordsByQuestion: readonly (readonly string[])[] = [
  ["boiler", "invoice"],
  ["boiler", "bar"],
  ["Kessel", "fee"],
  ["Ploy", "plants"],
  ["Hoffest"],
  ["cargo bike", "new"],
  ["deep sea"],
  ["gelatine"],
  ["clocks"],
  ["insurance", "vet"],
  ["photo book"],
  ["Goélands"],
  ["Port-Kerlaouen"],
  ["Maëlle"],
  ["last day"],
  ["plant", "desk"],
  ["Frühlingsvorspiel"],
  ["square key"],
  ["reserve"],
  ["physio"],
  ["running shoes"],
  ["Gymnasium"],
  ["Jupiter"],
  ["wedding", "Rania"],
  ["residual"],
];

const findTasks = keywordsByQuestion.map((keywords, index): FindTask => {
  const [question, answers] = demoQuestions[index * 4]!;
  return { kind: "find", question, answers, keywords };
});

const add = (records: readonly JsonObject[], field: string): number =>
  Math.round(records.reduce((sum, record) => sum + Number(record[field]), 0) * 100) / 100;

const inEuros = (records: readonly JsonObject[]): JsonObject[] => records.filter(({ currency }) => currency === "EUR");

const newest = (records: readonly JsonObject[], field: string): JsonObject =>
  records.reduce((last, record) => (String(record[field]) > String(last[field]) ? record : last));

function findMostFrequent(records: readonly JsonObject[], field: string): string {
  const groups = [...Map.groupBy(records, (record) => String(record[field]))];
  return groups.reduce((most, group) => (group[1].length > most[1].length ? group : most))[0];
}

const firstWords = (text: unknown): string => String(text).split(/\s+/).slice(0, 6).join(" ");

const orders = { connection: "cin_purchases_ada", stream: "orders" } as const;
const items = { connection: "cin_purchases_ada", stream: "order_items" } as const;
const chat = { connection: "cin_chat_ada", stream: "messages" } as const;
const workMail = { connection: "cin_mail_work", stream: "messages" } as const;
const bank = { connection: "cin_bank_ada", stream: "transactions" } as const;
const contacts = { connection: "cin_contacts_ada", stream: "contacts" } as const;
const houseEvents = { connection: "cin_calendar_house", stream: "events" } as const;

const readTasks: readonly ReadTask[] = [
  {
    kind: "read",
    question: "What have we spent on orders in euros?",
    ...orders,
    tool: "aggregate",
    arguments: { metric: "sum", field: "total_amount", filter: { currency: "EUR" } },
    compute: (records) => add(inEuros(records), "total_amount").toFixed(2),
    sql: "SELECT round(sum(total_amount), 2) FROM purchases_orders WHERE currency = 'EUR'",
  },
  {
    kind: "read",
    question: "What did the most expensive order in euros cost?",
    ...orders,
    tool: "aggregate",
    arguments: { metric: "max", field: "total_amount", filter: { currency: "EUR" } },
    compute: (records) => String(Math.max(...inEuros(records).map(({ total_amount }) => Number(total_amount)))),
    sql: "SELECT max(total_amount) FROM purchases_orders WHERE currency = 'EUR'",
  },
  {
    kind: "read",
    question: "In which shop do we order most often?",
    ...orders,
    tool: "aggregate",
    arguments: { metric: "count", group_by: "shop", limit: 3 },
    compute: (records) => findMostFrequent(records, "shop"),
    sql: "SELECT shop, count(*) FROM purchases_orders GROUP BY shop ORDER BY 2 DESC LIMIT 3",
  },
  {
    kind: "read",
    question: "How many different shops have we ordered from?",
    ...orders,
    tool: "aggregate",
    arguments: { metric: "count_distinct", field: "shop" },
    compute: (records) => String(new Set(records.map(({ shop }) => shop)).size),
    sql: "SELECT count(DISTINCT shop) FROM purchases_orders",
  },
  {
    kind: "read",
    question: "How much did we spend on groceries in March 2026?",
    ...items,
    tool: "aggregate",
    arguments: {
      metric: "sum",
      field: "line_amount",
      filter: { category: "groceries", ordered_at: { gte: "2026-03-01T00:00:00Z", lt: "2026-04-01T00:00:00Z" } },
    },
    compute: (records) =>
      String(
        add(
          records.filter(
            ({ category, ordered_at }) => category === "groceries" && String(ordered_at).startsWith("2026-03"),
          ),
          "line_amount",
        ),
      ),
    sql: "SELECT round(sum(line_amount), 2) FROM purchases_order_items WHERE category = 'groceries' AND ordered_at LIKE '2026-03%'",
  },
  {
    kind: "read",
    question: "How many chat messages did Jonas write?",
    ...chat,
    tool: "aggregate",
    arguments: { metric: "count", filter: { sender_name: "Jonas Brambleby" } },
    compute: (records) => String(records.filter(({ sender_name }) => sender_name === "Jonas Brambleby").length),
    sql: "SELECT count(*) FROM chat_messages WHERE sender_name = 'Jonas Brambleby'",
  },
  {
    kind: "read",
    question: "Who writes most of my work mails?",
    ...workMail,
    tool: "aggregate",
    arguments: { metric: "count", group_by: "from_name", limit: 3 },
    compute: (records) => findMostFrequent(records, "from_name"),
    sql: "SELECT from_name, count(*) FROM mail_messages WHERE source = 'cin_mail_work' GROUP BY from_name ORDER BY 2 DESC LIMIT 3",
  },
  {
    kind: "read",
    question: "What did we pay for food by card from the bank account?",
    ...bank,
    tool: "aggregate",
    arguments: { metric: "sum", field: "amount", filter: { category: "Lebensmittel" } },
    compute: (records) =>
      String(
        add(
          records.filter(({ category }) => category === "Lebensmittel"),
          "amount",
        ),
      ),
    sql: "SELECT round(sum(amount), 2) FROM bank_transactions WHERE category = 'Lebensmittel'",
  },
  {
    kind: "read",
    question: "What did Priya write last?",
    ...chat,
    tool: "query_records",
    arguments: { filter: { sender_name: "Priya Vantongeren" }, limit: 1 },
    compute: (records) =>
      firstWords(
        newest(
          records.filter(({ sender_name }) => sender_name === "Priya Vantongeren"),
          "sent_at",
        ).text,
      ),
    sql: "SELECT text, sent_at FROM chat_messages WHERE sender_name = 'Priya Vantongeren' ORDER BY sent_at DESC LIMIT 1",
  },
  {
    kind: "read",
    question: "What is my newest work mail about?",
    ...workMail,
    tool: "query_records",
    arguments: { limit: 1 },
    compute: (records) => firstWords(newest(records, "sent_at").subject),
    sql: "SELECT subject, from_name, sent_at FROM mail_messages WHERE source = 'cin_mail_work' ORDER BY sent_at DESC LIMIT 1",
  },
  {
    kind: "read",
    question: "What did I return last?",
    ...orders,
    tool: "query_records",
    arguments: { filter: { status: "returned" }, limit: 2 },
    compute: (records) =>
      firstWords(
        newest(
          records.filter(({ status }) => status === "returned"),
          "ordered_at",
        ).summary,
      ),
    sql: "SELECT * FROM purchases_orders WHERE status = 'returned' ORDER BY ordered_at DESC LIMIT 2",
  },
  {
    kind: "read",
    question: "Which items were in order AP-300702?",
    ...items,
    tool: "query_records",
    arguments: { filter: { order_id: "AP-300702" } },
    compute: (records) => firstWords(records.find(({ order_id }) => order_id === "AP-300702")?.name),
    sql: "SELECT name, quantity, line_amount FROM purchases_order_items WHERE order_id = 'AP-300702'",
  },
  {
    kind: "read",
    question: "What is Nell's phone number?",
    ...contacts,
    tool: "query_records",
    arguments: { filter: { display_name: "Nell Oakhanger" } },
    compute: (records) => {
      const phones = records.find(({ display_name }) => display_name === "Nell Oakhanger")?.phones;
      return String(Array.isArray(phones) ? phones[0] : phones);
    },
    sql: "SELECT phones FROM vcard_contacts WHERE display_name = 'Nell Oakhanger'",
  },
  {
    kind: "read",
    question: "What is the next event in the house after 1 August 2026?",
    ...houseEvents,
    tool: "query_records",
    arguments: { filter: { starts_at: { gte: "2026-08-01T00:00:00Z" } }, order: "asc", limit: 1 },
    compute: (records) =>
      String(
        records
          .filter(({ starts_at }) => String(starts_at) >= "2026-08-01")
          .reduce((first, record) => (String(record.starts_at) < String(first.starts_at) ? record : first)).title,
      ),
    sql: "SELECT title, starts_at, location FROM icalendar_events WHERE starts_at >= '2026-08-01' ORDER BY starts_at LIMIT 1",
  },
  {
    kind: "read",
    question: "What did we pay last by direct debit?",
    ...bank,
    tool: "query_records",
    arguments: { filter: { kind: "DIRECT_DEBIT" }, limit: 1 },
    compute: (records) =>
      firstWords(
        newest(
          records.filter(({ kind }) => kind === "DIRECT_DEBIT"),
          "booked_on",
        ).description,
      ),
    sql: "SELECT description, counterparty, amount, booked_on FROM bank_transactions WHERE kind = 'DIRECT_DEBIT' ORDER BY booked_on DESC LIMIT 1",
  },
];

export const naiveTasks: readonly NaiveTask[] = [...findTasks, ...readTasks];
