import { Occurrences } from "../../core/identity.ts";
import type { Answers, Importer, Item, Question } from "../../core/importer.ts";
import { getLatestModification, mark, reject } from "../../core/items.ts";
import { type Delimiter, parseCsvHeader, readCsvRows } from "../../core/parsing/csv.ts";
import { readFiles } from "../../core/reading.ts";
import { cleanText } from "../../core/text/clean.ts";
import { describeError } from "../../core/text/describe-error.ts";
import {
  type DateOrder,
  DateOrderDetector,
  dateOrders,
  parseDateOrder,
  toYearMonthDay,
} from "../../core/time/date-order.ts";
import { isValidTime, type LocalTime } from "../../core/time/times.ts";
import type { Entry } from "../../tree/tree.ts";

/** Sources that export tables, recognized by their column names. */

interface Sheet {
  /** Required columns, in any order. */
  readonly columns: readonly string[];
  /** Columns that other versions of the export have too. Any other column means a different table. */
  readonly also?: readonly string[] | "any";
  readonly delimiter?: Delimiter;
  /** A date column whose day and month order is ambiguous. */
  readonly day?: string;
  /** Whether its times have no zone. */
  readonly isLocal?: boolean;
  /** Reads the records of one row. Throws a message for people if it is invalid. */
  read(row: Row): Iterable<Item>;
}

export interface Row {
  /** The trimmed text in that column; null if empty. */
  value(column: string): string | null;
  readonly answers: Answers;
  readonly zone: string;
  readonly order: DateOrder;
  readonly path: string;
  /** Appends a number to ids that occur more than once in the file. */
  numbered(id: string): string;
  /** Whether the name is new in this file. For small numbers of names. */
  isFirst(name: string): boolean;
}

interface Recipe extends Pick<Importer, "key" | "title" | "manifest" | "mainStream"> {
  readonly sheets: readonly Sheet[];
  readonly mergeRules?: NonNullable<Importer["mergeRules"]>;
}

/** Some programs write a few lines before the table. */
const maxPreamble = 10;

function matchSheet(sheets: readonly Sheet[], text: string): { sheet: Sheet; before: number } | undefined {
  const lines = text.replace(/^\ufeff/, "").split(/\r?\n/, maxPreamble);
  for (const [before, line] of lines.entries()) {
    for (const sheet of sheets) {
      const header = new Set(parseCsvHeader(line, sheet.delimiter));
      const { also = [] } = sheet;
      const isWhole = sheet.columns.every((name) => header.has(name));
      const isAll =
        also === "any" ||
        [...header].every((name) => name === "" || sheet.columns.includes(name) || also.includes(name));
      if (isWhole && isAll) return { sheet, before };
    }
  }
  return undefined;
}

export function createRecipeImporter({ sheets, ...recipe }: Recipe): Importer {
  return {
    ...recipe,
    version: "2",
    testedWith: "unproven",
    sniff: (path, { text }) => /\.(csv|tsv|txt)$/i.test(path) && matchSheet(sheets, text) !== undefined,
    async createClaims(found) {
      const orders = new Map<Entry, DateOrder | undefined>();
      let isLocal = false;
      for (const entry of found) {
        const sheet = await findSheet(sheets, entry);
        if (sheet?.isLocal === true) isLocal = true;
        if (sheet?.day !== undefined) orders.set(entry, await findDateOrder(entry, sheet));
      }
      const unknown = [...orders.values()].includes(undefined);
      const questions: Question[] = [
        ...(unknown
          ? [{ key: "date_order" as const, text: `How does ${recipe.title} write its dates?`, choices: dateOrders }]
          : []),
        ...(isLocal
          ? [
              {
                key: "time_zone" as const,
                text: `In which time zone are the times of ${recipe.title}?`,
                defaultAnswer: "UTC",
              },
            ]
          : []),
      ];
      return [
        {
          format: recipe.key,
          label: recipe.title,
          entries: found,
          companions: [],
          exportedAt: getLatestModification(found),
          questions,
        },
      ];
    },
    read: (claim, answers, from) => readFiles(claim, from, (entry, index) => readSheet(sheets, entry, index, answers)),
  };
}

async function findSheet(sheets: readonly Sheet[], entry: Entry): Promise<Sheet | undefined> {
  for await (const chunk of entry.bytes()) return matchSheet(sheets, Buffer.from(chunk).toString("utf8"))?.sheet;
  return undefined;
}

/** Rows scanned to find the order of day and month. */
const maxScanned = 20_000;

async function findDateOrder(entry: Entry, { columns, delimiter, day }: Sheet): Promise<DateOrder | undefined> {
  const finder = new DateOrderDetector("either");
  let header: readonly string[] | undefined;
  let looked = 0;
  for await (const { fields } of readCsvRows(entry, delimiter)) {
    if (header === undefined) {
      if (columns.every((name) => fields.some((field) => field.trim() === name)))
        header = fields.map((name) => name.trim());
      continue;
    }
    const written = fields[header.indexOf(day ?? "")] ?? "";
    const parts = splitDay(written);
    if (parts !== null) finder.add(parts, /[./-]/.exec(written)?.[0]);
    looked += 1;
    if (looked >= maxScanned) break;
  }
  return finder.detect();
}

async function* readSheet(
  sheets: readonly Sheet[],
  entry: Entry,
  index: number,
  answers: Answers,
): AsyncGenerator<Item> {
  let head = Buffer.alloc(0);
  for await (const chunk of entry.bytes()) {
    head = Buffer.concat([head, chunk]);
    if (head.length > 65_536) break;
  }
  const found = matchSheet(sheets, head.toString("utf8"));
  if (found === undefined) return;
  const { sheet } = found;
  const order =
    (sheet.day === undefined ? undefined : await findDateOrder(entry, sheet)) ??
    parseDateOrder(answers.date_order) ??
    "mdy";
  const occurrences = new Occurrences();
  const names = new Set<string>();
  const isFirst = (name: string): boolean => names.size < 1000 && names.size !== names.add(name).size;
  let header: readonly string[] | undefined;
  for await (const { fields, offset, end, raw, failure } of readCsvRows(entry, sheet.delimiter)) {
    if (header === undefined) {
      const columns = fields.map((name) => name.trim());
      if (sheet.columns.every((name) => columns.includes(name))) header = columns;
      continue;
    }
    if (failure !== undefined) yield reject(entry.path, offset, failure.code, failure.reason, raw);
    else {
      const columns = header;
      const value = (column: string): string | null => {
        const text = cleanText(fields[columns.indexOf(column)] ?? "").trim();
        return text === "" ? null : text;
      };
      const numbered = (id: string): string => occurrences.number(id);
      try {
        yield* sheet.read({
          value,
          answers,
          order,
          path: entry.path,
          numbered,
          isFirst,
          zone: answers.time_zone ?? "UTC",
        });
      } catch (error) {
        yield reject(entry.path, offset, "not_a_row", describeError(error), raw);
      }
    }
    yield mark(index, end);
  }
}

function splitDay(text: string): [number, number, number] | null {
  const found = /^\s*(\d{1,4})[./-](\d{1,2})[./-](\d{1,4})/.exec(text);
  if (found === null) return null;
  const [a = 0, b = 0, c = 0] = found.slice(1).map(Number);
  return [a, b, c];
}

/** Parses a date in the given order, with or without a time. Throws if it does not exist. */
export function parseLocalDay(text: string | null, order: DateOrder): LocalTime {
  const parts = splitDay(text ?? "");
  if (parts === null) throw new Error("it has no time");
  const { year, month, day } = toYearMonthDay(parts, parts[0] > 31 ? "ymd" : order);
  const [hour = 0, minute = 0, second = 0] = (/\s(\d{1,2}):(\d\d)(?::(\d\d))?/.exec(text ?? "")?.slice(1) ?? []).map(
    (n) => Number(n ?? 0),
  );
  const local = { year: year < 100 ? 2000 + year : year, month, day, hour, minute, second };
  if (!isValidTime(local)) throw new Error(`there is no such day: ${text}`);
  return local;
}
