import { deriveId } from "../../core/identity.ts";
import type { Item } from "../../core/importer.ts";
import { mark } from "../../core/items.ts";
import { readLines } from "../../core/parsing/lines.ts";
import { parseAmount } from "../../core/records/money.ts";
import { decodeText } from "../../core/text/decode-text.ts";
import type { Entry } from "../../tree/tree.ts";
import { type Account, type Accounts, Bookings, parseDay } from "./records.ts";

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

const maxRawChars = 20_000;

export async function* readOfx(entry: Entry, index: number, accounts: Accounts): AsyncGenerator<Item> {
  const statement = new Statement(entry, accounts);
  for await (const { offset, bytes } of readLines(entry.bytes())) {
    const items = statement.addLine(`${decodeText(bytes)}\n`, offset);
    for (const item of items) yield item;
    if (items.length > 0) yield mark(index, offset + bytes.length);
  }
  yield* statement.finish();
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

  addLine(text: string, offset: number): Item[] {
    const items: Item[] = [];
    if (this.#group !== undefined && this.#group.raw.length < maxRawChars) this.#group.raw += text;
    const token = /<!\[CDATA\[((?:(?!<!\[CDATA\[|\]\]>)[\s\S])*)\]\]>|<(\/?)([A-Za-z0-9_.]+)[^<>]*>|([^<]+)|</g;
    for (const [, verbatim, slash, name, content] of text.matchAll(token)) {
      if (name === undefined) this.#addText(verbatim ?? content ?? "<");
      else if (slash === "/") items.push(...this.#close(name.toUpperCase()));
      else this.#open(name.toUpperCase(), offset, text);
    }
    return items;
  }

  finish(): Item[] {
    const left = this.#group;
    this.#group = undefined;
    return left === undefined ? [] : this.#finishGroup(left);
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
      if (!isInside) this.#group = { name, offset, values: new Map(), raw: text.slice(0, maxRawChars) };
    }
    if (name === "ORIGCURRENCY" || name === "CURRENCY") this.#isOriginal = name === "ORIGCURRENCY";
    this.#leaf = groups.has(name) ? undefined : this.#isOriginal && /^CUR(SYM|RATE)$/.test(name) ? `ORIG${name}` : name;
  }

  #addText(text: string): void {
    if (this.#leaf === undefined || text.trim() === "") return;
    const content = text.trimEnd();
    if (this.#leaf === "CURDEF") this.#currency = content.trim();
    const values = this.#group?.values;
    if (values === undefined) return;
    const held = values.get(this.#leaf);
    // The first value wins: inner groups reuse the same tags later.
    if (held === undefined) values.set(this.#leaf, content.trim());
  }

  #close(name: string): Item[] {
    this.#leaf = undefined;
    if (name === "ORIGCURRENCY" || name === "STMTTRN") this.#isOriginal = false;
    if (name === this.#group?.name) {
      const group = this.#group;
      this.#group = undefined;
      return this.#finishGroup(group);
    }
    if (statements.has(name) && this.#account !== undefined) this.#accounts.add(this.#account);
    return [];
  }

  #finishGroup({ name, values, offset, raw }: Group): Item[] {
    const getValue = (key: string): string | null => values.get(key) ?? null;
    if (name === "FI") this.#institution = getValue("ORG");
    else if (accountTags.has(name)) this.#beginAccount(name, getValue);
    else if (name === "LEDGERBAL") this.#setBalance(getValue);
    else {
      const account = this.#account ?? this.#beginAccount("", () => null);
      const booked = getValue("DTPOSTED") ?? getValue("DTTRADE") ?? getValue("DTSETTLE");
      return [
        this.#bookings.createItem(account, {
          offset,
          raw,
          ownId: getValue("FITID"),
          bookedOn: parseDay(booked),
          valuedOn: parseDay(getValue("DTAVAIL") ?? getValue("DTSETTLE")),
          amount: getValue("TRNAMT") ?? getValue("TOTAL") ?? (name === "STMTTRN" ? null : "0"),
          currency: getValue("CURSYM") ?? this.#currency,
          counterparty: getValue("NAME"),
          memo: getValue("MEMO"),
          kind: getValue("TRNTYPE") ?? name,
          reference: getValue("CHECKNUM"),
          extra: readDetails(getValue),
        }),
      ];
    }
    return [];
  }

  #beginAccount(tag: string, getValue: (key: string) => string | null): Account {
    const number = getValue("ACCTID");
    const bank = getValue("BANKID") ?? getValue("BROKERID");
    const usual = tag === "CCACCTFROM" ? "credit card" : tag === "INVACCTFROM" ? "investment" : null;
    const kind = getValue("ACCTTYPE")?.toLowerCase() ?? usual;
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
    this.#accounts.add(this.#account);
    return this.#account;
  }

  #setBalance(getValue: (key: string) => string | null): void {
    if (this.#account === undefined) return;
    const balance = parseAmount(getValue("BALAMT"));
    if (balance !== null) this.#account = { ...this.#account, balance, balanceOn: parseDay(getValue("DTASOF")) };
    this.#accounts.add(this.#account);
  }
}

function readDetails(getValue: (key: string) => string | null): Record<string, string> {
  const kept: [string, string][] = [];
  for (const [key, name] of [
    ["UNIQUEID", "security"],
    ["UNITS", "units"],
    ["UNITPRICE", "unit_price"],
    ["ORIGCURSYM", "original_currency"],
    ["ORIGCURRATE", "exchange_rate"],
  ] as const) {
    const content = getValue(key);
    if (content !== null) kept.push([name, content]);
  }
  return Object.fromEntries(kept);
}
