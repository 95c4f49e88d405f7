import { decodeText } from "../../core/files.ts";
import { deriveId } from "../../core/identity.ts";
import { type Item, mark } from "../../core/importer.ts";
import { readLines } from "../../core/parsing/lines.ts";
import { parseAmount } from "../../core/records/money.ts";
import type { Entry } from "../../tree/tree.ts";
import { type Account, type Accounts, Bookings, dayOf } from "./records.ts";

/** OFX 1 and 2: tags whose values may be unclosed, in a charset that the header often gets wrong. */

/** Tags that contain other tags; all others contain a value. */
const groups = new Set(
  "STMTTRN PAYEE CURRENCY ORIGCURRENCY BANKACCTTO CCACCTTO INVTRAN SECID INVBUY INVSELL BANKACCTFROM CCACCTFROM INVACCTFROM LEDGERBAL AVAILBAL INVBAL FI".split(
    " ",
  ),
);
const statements = new Set(["STMTRS", "CCSTMTRS", "INVSTMTRS"]);
const investments =
  /^((BUY|SELL)(DEBT|MF|OPT|OTHER|STOCK)|REINVEST|INCOME|TRANSFER|INVEXPENSE|RETOFCAP|CLOSUREOPT|JRNL(FUND|SEC)|MARGININTEREST|SPLIT)$/;
const accountTags = new Set(["BANKACCTFROM", "CCACCTFROM", "INVACCTFROM"]);

/** A group that is being read, and its values by tag. */
interface Group {
  readonly name: string;
  readonly offset: number;
  readonly values: Map<string, string>;
  raw: string;
}

const mostRaw = 20_000;

export async function* readOfx(entry: Entry, index: number, accounts: Accounts): AsyncGenerator<Item> {
  const statement = new Statement(entry, accounts);
  for await (const { offset, bytes } of readLines(entry.bytes())) {
    const items = statement.line(`${decodeText(bytes)}\n`, offset);
    for (const item of items) yield item;
    if (items.length > 0) yield mark(index, offset + bytes.length);
  }
  yield* statement.end();
}

class Statement {
  readonly #bookings: Bookings;
  readonly #accounts: Accounts;
  #institution: string | null = null;
  #currency: string | null = null;
  #account: Account | undefined;
  #group: Group | undefined;
  #leaf: string | undefined;
  /** Inside ORIGCURRENCY: the currency before conversion. The amount is in the statement's currency. */
  #isOriginal = false;

  constructor(entry: Entry, accounts: Accounts) {
    this.#bookings = new Bookings(entry.path);
    this.#accounts = accounts;
  }

  line(text: string, offset: number): Item[] {
    const items: Item[] = [];
    if (this.#group !== undefined && this.#group.raw.length < mostRaw) this.#group.raw += text;
    const token = /<!\[CDATA\[((?:(?!<!\[CDATA\[|\]\]>)[\s\S])*)\]\]>|<(\/?)([A-Za-z0-9_.]+)[^<>]*>|([^<]+)|</g;
    for (const [, verbatim, slash, name, said] of text.matchAll(token)) {
      if (name === undefined) this.#say(verbatim ?? said ?? "<");
      else if (slash === "/") items.push(...this.#close(name.toUpperCase()));
      else this.#open(name.toUpperCase(), offset, text);
    }
    return items;
  }

  end(): Item[] {
    const left = this.#group;
    this.#group = undefined;
    return left === undefined ? [] : this.#closed(left);
  }

  #open(name: string, offset: number, text: string): void {
    const isBooking = name === "STMTTRN" || investments.test(name);
    if (statements.has(name)) {
      this.#account = undefined;
      this.#currency = null;
    }
    if (isBooking || accountTags.has(name) || name === "LEDGERBAL" || name === "FI") {
      // An investment transaction contains nested groups; a STMTTRN starts a new one.
      const isInside = this.#group !== undefined && investments.test(this.#group.name) && name !== "STMTTRN";
      if (!isInside) this.#group = { name, offset, values: new Map(), raw: text.slice(0, mostRaw) };
    }
    if (name === "ORIGCURRENCY" || name === "CURRENCY") this.#isOriginal = name === "ORIGCURRENCY";
    this.#leaf = groups.has(name) ? undefined : this.#isOriginal && /^CUR(SYM|RATE)$/.test(name) ? `ORIG${name}` : name;
  }

  #say(text: string): void {
    if (this.#leaf === undefined || text.trim() === "") return;
    const said = text.trimEnd();
    if (this.#leaf === "CURDEF") this.#currency = said.trim();
    const values = this.#group?.values;
    if (values === undefined) return;
    const held = values.get(this.#leaf);
    // The first value wins: inner groups reuse the same tags later.
    if (held === undefined) values.set(this.#leaf, said.trim());
  }

  #close(name: string): Item[] {
    this.#leaf = undefined;
    if (name === "ORIGCURRENCY" || name === "STMTTRN") this.#isOriginal = false;
    if (name === this.#group?.name) {
      const group = this.#group;
      this.#group = undefined;
      return this.#closed(group);
    }
    if (statements.has(name) && this.#account !== undefined) this.#accounts.see(this.#account);
    return [];
  }

  #closed({ name, values, offset, raw }: Group): Item[] {
    const value = (key: string): string | null => values.get(key) ?? null;
    if (name === "FI") this.#institution = value("ORG");
    else if (accountTags.has(name)) this.#begin(name, value);
    else if (name === "LEDGERBAL") this.#balance(value);
    else {
      const account = this.#account ?? this.#begin("", () => null);
      const booked = value("DTPOSTED") ?? value("DTTRADE") ?? value("DTSETTLE");
      return [
        this.#bookings.item(account, {
          offset,
          raw,
          ownId: value("FITID"),
          bookedOn: dayOf(booked),
          valuedOn: dayOf(value("DTAVAIL") ?? value("DTSETTLE")),
          amount: value("TRNAMT") ?? value("TOTAL") ?? (name === "STMTTRN" ? null : "0"),
          currency: value("CURSYM") ?? this.#currency,
          counterparty: value("NAME"),
          memo: value("MEMO"),
          kind: value("TRNTYPE") ?? name,
          reference: value("CHECKNUM"),
          extra: detailsOf(value),
        }),
      ];
    }
    return [];
  }

  #begin(tag: string, value: (key: string) => string | null): Account {
    const number = value("ACCTID");
    const bank = value("BANKID") ?? value("BROKERID");
    const usual = tag === "CCACCTFROM" ? "credit card" : tag === "INVACCTFROM" ? "investment" : null;
    const kind = value("ACCTTYPE")?.toLowerCase() ?? usual;
    this.#account = {
      id: deriveId("account", bank, number),
      name:
        number === null
          ? null
          : [this.#institution, kind, `…${number.slice(-4)}`].filter((word) => word !== null).join(" "),
      institution: this.#institution,
      number,
      kind,
      currency: this.#currency,
      balance: null,
      balanceOn: null,
    };
    this.#accounts.see(this.#account);
    return this.#account;
  }

  #balance(value: (key: string) => string | null): void {
    if (this.#account === undefined) return;
    const balance = parseAmount(value("BALAMT"));
    if (balance !== null) this.#account = { ...this.#account, balance, balanceOn: dayOf(value("DTASOF")) };
    this.#accounts.see(this.#account);
  }
}

function detailsOf(value: (key: string) => string | null): Record<string, string> {
  const kept: [string, string][] = [];
  for (const [key, name] of [
    ["UNIQUEID", "security"],
    ["UNITS", "units"],
    ["UNITPRICE", "unit_price"],
    ["ORIGCURSYM", "original_currency"],
    ["ORIGCURRATE", "exchange_rate"],
  ] as const) {
    const said = value(key);
    if (said !== null) kept.push([name, said]);
  }
  return Object.fromEntries(kept);
}
