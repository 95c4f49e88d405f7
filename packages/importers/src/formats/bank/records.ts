import type { JsonObject } from "@pdpp/contract/declaration";
import { deriveId, Occurrences } from "../../core/identity.ts";
import type { Item, RecordItem, RejectedItem } from "../../core/importer.ts";
import { createDatedRecord, createRecord, reject } from "../../core/items.ts";
import { parseAmount } from "../../core/records/money.ts";
import { cleanText } from "../../core/text/clean.ts";

/** Accounts and bookings, common to the three file types. */

export interface Account {
  readonly id: string;
  readonly name: string | null;
  readonly institution: string | null;
  readonly number: string | null;
  readonly kind: string | null;
  readonly currency: string | null;
  readonly balance: number | null;
  readonly balanceOn: string | null;
}

export interface Booking {
  readonly offset: number;
  readonly raw: string;
  /** The bank's id, which is not always unique or present. */
  readonly ownId: string | null;
  readonly bookedOn: string | null;
  readonly valuedOn?: string | null;
  readonly amount: string | null;
  /** Direction, if the amount has no sign. */
  readonly isDebit?: boolean;
  readonly currency: string | null;
  readonly counterparty: string | null;
  readonly memo: string | null;
  /** Further purpose lines. Not part of the derived id. */
  readonly more?: readonly string[];
  readonly kind?: string | null;
  readonly status?: string | null;
  readonly category?: string | null;
  readonly reference?: string | null;
  readonly extra?: JsonObject;
}

/** Merges accounts over all files; the newest balance wins. */
export class Accounts {
  readonly #known = new Map<string, Account>();

  add(account: Account): void {
    const held = this.#known.get(account.id);
    if (held === undefined) this.#known.set(account.id, account);
    else {
      const isNewer = (account.balanceOn ?? "") > (held.balanceOn ?? "");
      const [base, other] = isNewer ? [account, held] : [held, account];
      this.#known.set(account.id, {
        id: base.id,
        name: base.name ?? other.name,
        institution: base.institution ?? other.institution,
        number: base.number ?? other.number,
        kind: base.kind ?? other.kind,
        currency: base.currency ?? other.currency,
        balance: base.balance ?? other.balance,
        balanceOn: base.balanceOn ?? other.balanceOn,
      });
    }
  }

  *buildRecords(): Generator<RecordItem> {
    for (const account of this.#known.values()) {
      const { balanceOn, ...rest } = account;
      const changedAt = balanceOn === null ? undefined : Date.parse(balanceOn);
      yield createDatedRecord("accounts", changedAt, { ...rest, balance_on: balanceOn, extra: {} });
    }
  }
}

/** Bookings of one file. Duplicates within a file are different bookings; duplicates across files are the same booking. */
export class Bookings {
  readonly #occurrences = new Occurrences();
  readonly #path: string;

  constructor(path: string) {
    this.#path = path;
  }

  createItem(account: Account, booking: Booking): Item {
    const { offset, raw, bookedOn } = booking;
    const refuse = (code: string, reason: string): RejectedItem => reject(this.#path, offset, code, reason, raw);
    if (bookedOn === null) return refuse("no_such_day", "no date, or one that does not exist");
    const size = parseAmount(booking.amount);
    if (size === null) return refuse("no_amount", `not an amount: ${(booking.amount ?? "missing").slice(0, 60)}`);
    const amount = booking.isDebit === undefined ? size : booking.isDebit ? -Math.abs(size) : Math.abs(size);
    const [counterparty, memo] = [unescapeText(booking.counterparty), unescapeText(booking.memo)];
    const own = unescapeText(booking.ownId);
    const fields = own === null ? [counterparty, memo] : [own];
    const purpose =
      [memo, ...(booking.more ?? []).map(unescapeText)].filter((text) => text !== null).join("\n") || null;
    return createRecord("transactions", {
      id: this.#occurrences.number(deriveId("booking", account.id, bookedOn, amount, ...fields)),
      account_id: account.id,
      account_name: account.number === null ? account.name : `…${account.number.slice(-4)}`,
      description: counterparty ?? purpose?.split("\n")[0] ?? unescapeText(booking.kind ?? null),
      counterparty,
      memo: purpose,
      amount,
      currency: booking.currency,
      booked_on: bookedOn,
      valued_on: booking.valuedOn ?? null,
      kind: unescapeText(booking.kind ?? null),
      status: booking.status ?? "booked",
      category: unescapeText(booking.category ?? null),
      reference: unescapeText(booking.reference ?? null) ?? own,
      extra: booking.extra ?? {},
    });
  }
}

/** Some banks escape twice. */
function unescapeText(text: string | null): string | null {
  const entities: Readonly<Record<string, string>> = { lt: "<", gt: ">", amp: "&", quot: '"', apos: "'", nbsp: " " };
  const unescapeOnce = (each: string): string =>
    each.replace(/&(lt|gt|amp|quot|apos|nbsp);/g, (_, name) => entities[name] ?? "");
  const plain = cleanText(unescapeOnce(unescapeOnce(text ?? ""))).trim();
  return plain === "" ? null : plain;
}

/** Parses the day of `20190123120000.000[-5:EST]` or `2019-01-23`, as the bank writes it. */
export function parseDay(written: string | null | undefined): string | null {
  const [, year = "", month = "", day = ""] = /^\s*(\d{4})-?(\d\d)-?(\d\d)/.exec(written ?? "") ?? [];
  return toValidDay(Number(year), Number(month), Number(day));
}

export function toValidDay(year: number, month: number, day: number): string | null {
  const date = new Date(Date.UTC(year, month - 1, day));
  const isReal = year > 1900 && year < 2200 && date.getUTCMonth() === month - 1 && date.getUTCDate() === day;
  return isReal ? date.toISOString().slice(0, 10) : null;
}
