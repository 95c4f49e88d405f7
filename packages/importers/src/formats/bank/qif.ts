import type { JsonObject } from "@pdpp/contract/declaration";
import { deriveId } from "../../core/identity.ts";
import type { Item } from "../../core/importer.ts";
import { mark } from "../../core/items.ts";
import { readLines } from "../../core/parsing/lines.ts";
import { parseAmount } from "../../core/records/money.ts";
import { cleanText, dropNulls } from "../../core/text/clean.ts";
import { decodeText } from "../../core/text/decode-text.ts";
import { type DateOrder, DateOrderDetector, toYearMonthDay } from "../../core/time/date-order.ts";
import type { Entry } from "../../tree/tree.ts";
import { type Account, type Accounts, Bookings, toValidDay } from "./records.ts";

/** QIF: the first letter of each line says which field it is. */

type Parts = readonly [number, number, number];

const maxDateChars = 40;

/** Splits `12/19/18`, `1/ 5'04`, `19.12.2018` or `2018-12-19`. */
function splitDate(written: string): Parts | null {
  const found = /^\s*(\d{1,4})\s*[./' -]\s*(\d{1,2})\s*[./' -]\s*(\d{1,4})\s*$/.exec(written.slice(0, maxDateChars));
  return found === null ? null : [Number(found[1]), Number(found[2]), Number(found[3])];
}

/** Undefined if ambiguous. */
export async function detectQifDateOrder(entry: Entry): Promise<DateOrder | undefined> {
  const finder = new DateOrderDetector("either");
  for await (const { bytes } of readLines(entry.bytes())) {
    if (bytes[0] !== 0x44) continue;
    const written = decodeText(bytes).slice(1);
    const parts = splitDate(written);
    if (parts !== null) finder.add(parts, /[./' -]/.exec(written.trim())?.[0]);
  }
  return finder.detect();
}

function parseDay(written: string, order: DateOrder): string | null {
  const parts = splitDate(written);
  if (parts === null) return null;
  const { year, month, day } = toYearMonthDay(parts, order);
  // An apostrophe before the year means 20xx.
  const century = year >= 100 ? 0 : year > 69 && !written.includes("'") ? 1900 : 2000;
  return toValidDay(century + year, month, day);
}

const maxLines = 500;

export async function* readQif(
  entry: Entry,
  index: number,
  accounts: Accounts,
  order: DateOrder,
): AsyncGenerator<Item> {
  const bookings = new Bookings(entry.path);
  let account = createAccount(null, null);
  let section = "";
  let values = new Map<string, string>();
  let raw: string[] = [];
  let start = 0;
  const finishItem = (): Item[] => {
    const held = values;
    const text = raw.join("\n");
    const splits = parseSplits(raw);
    [values, raw] = [new Map(), []];
    if (held.size === 0) return [];
    if (section === "account") {
      account = createAccount(held.get("N") ?? null, held.get("T") ?? null);
      return [];
    }
    if (!/^(bank|cash|ccard|invst|oth a|oth l)/.test(section)) return [];
    accounts.add(account);
    const category = held.get("L") ?? null;
    return [
      bookings.createItem(account, {
        offset: start,
        raw: text,
        ownId: null,
        bookedOn: parseDay(held.get("D") ?? "", order),
        amount: held.get("T") ?? held.get("U") ?? null,
        currency: account.currency,
        counterparty: held.get("P") ?? null,
        memo: held.get("M") ?? null,
        category: category === null || /^\[.*\]$/.test(category) ? null : category,
        reference: held.get("N") ?? null,
        extra: dropNulls({
          transfer: /^\[(.*)\]$/.exec(category ?? "")?.[1] ?? null,
          splits: splits.length === 0 ? null : splits,
        }),
      }),
    ];
  };
  for await (const { offset, bytes } of readLines(entry.bytes())) {
    const line = decodeText(bytes).replace(/^\ufeff/, "");
    if (raw.length === 0) start = offset;
    if (line.startsWith("!")) {
      yield* finishItem();
      const [, type] = /^!Type:(.*)$/i.exec(line) ?? [];
      section = type === undefined ? (/^!Account/i.test(line) ? "account" : section) : type.trim().toLowerCase();
    } else if (line.startsWith("^")) {
      yield* finishItem();
      yield mark(index, offset + bytes.length);
    } else if (line !== "" && raw.length < maxLines) {
      raw.push(line);
      const [letter = "", content] = [line[0], line.slice(1)];
      // Splits reuse letters; the first of each belongs to the booking.
      if (!values.has(letter)) values.set(letter, content);
    }
  }
  yield* finishItem();
}

/** Splits of a booking: `S` starts one with its category, `E` is its memo and `$` its amount. */
function parseSplits(lines: readonly string[]): JsonObject[] {
  const splits: JsonObject[] = [];
  for (const line of lines) {
    const content = cleanText(line.slice(1)).trim();
    if (line.startsWith("S")) splits.push({ category: content });
    const last = splits.at(-1);
    if (last !== undefined && line.startsWith("E")) last.memo = content;
    if (last !== undefined && line.startsWith("$")) last.amount = parseAmount(content);
  }
  return splits;
}

/** Most files do not name the account. */
const createAccount = (name: string | null, kind: string | null): Account => ({
  id: deriveId("qif account", name),
  name,
  institution: null,
  number: null,
  kind: kind?.toLowerCase() ?? null,
  currency: null,
  balance: null,
  balanceOn: null,
});
