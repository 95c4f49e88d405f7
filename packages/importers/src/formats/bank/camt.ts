import { wordsOf } from "../../core/files.ts";
import { h1 } from "../../core/identity.ts";
import { aside, type Item, mark } from "../../core/importer.ts";
import { childOf, childrenOf, textOf, type XmlNode, xmlTree } from "../../core/parsing/xml-tree.ts";
import { amountOf } from "../../core/records/money.ts";
import { wholeOf } from "../../tree/damage.ts";
import { type Entry, TreeError } from "../../tree/tree.ts";
import { type Account, type Accounts, type Booking, Bookings, dayOf } from "./records.ts";

/** camt.052, 053 and 054: statements, as European banks give them. A file holds days or months, and is read whole. */

const most = 64 * 1024 * 1024;

export async function* readCamt(entry: Entry, index: number, accounts: Accounts): AsyncGenerator<Item> {
  const bookings = new Bookings(entry.path);
  let root: XmlNode;
  let bytes: Uint8Array = Buffer.alloc(0);
  try {
    bytes = await wholeOf(entry, most);
    root = xmlTree(bytes);
  } catch (error) {
    const [code, why] = error instanceof TreeError ? [error.code, ""] : ["malformed", "it is not XML: "];
    yield aside(entry.path, 0, code, `${why}${wordsOf(error)}`, bytes);
    return;
  }
  let n = 0;
  for (const message of root.children) {
    for (const statement of message.children) {
      if (!/^(Stmt|Rpt|Ntfctn)$/.test(statement.name)) continue;
      const account = accountOf(statement);
      accounts.see(account);
      for (const booked of childrenOf(statement, "Ntry")) {
        for (const booking of bookingsIn(booked)) yield bookings.item(account, booking);
        n += 1;
        yield mark(index, n);
      }
    }
  }
}

/** A way down: `at(node, "Acct", "Id", "IBAN")`. */
const at = (node: XmlNode | undefined, ...names: readonly string[]): XmlNode | undefined =>
  names.reduce<XmlNode | undefined>((inner, name) => childOf(inner, name), node);

const said = (node: XmlNode | undefined): string | null => node?.text.replace(/\s+/g, " ").trim() || null;

function accountOf(statement: XmlNode): Account {
  const acct = childOf(statement, "Acct");
  const iban = said(at(acct, "Id", "IBAN")) ?? said(at(acct, "Id", "Othr", "Id"));
  const institution = childOf(childOf(acct, "Svcr"), "FinInstnId");
  const closing = childrenOf(statement, "Bal").findLast((bal) => said(at(bal, "Tp", "CdOrPrtry", "Cd")) === "CLBD");
  const balance = amountOf(said(childOf(closing, "Amt")));
  const isDebit = textOf(closing, "CdtDbtInd") === "DBIT";
  return {
    id: h1("account", null, iban),
    name: textOf(acct, "Nm") ?? said(at(acct, "Ownr", "Nm")) ?? iban,
    institution: textOf(institution, "Nm") ?? textOf(institution, "BIC") ?? textOf(institution, "BICFI"),
    number: iban,
    kind: null,
    currency: textOf(acct, "Ccy"),
    balance: balance === null ? null : isDebit ? -balance : balance,
    balanceOn: dateIn(childOf(closing, "Dt")),
  };
}

const dateIn = (node: XmlNode | undefined): string | null => dayOf(textOf(node, "Dt") ?? textOf(node, "DtTm"));

/** One for an entry, or for each of its details where these have amounts of their own. */
function bookingsIn(entry: XmlNode): Booking[] {
  const details = childrenOf(entry, "NtryDtls").flatMap((each) => childrenOf(each, "TxDtls"));
  const amounts = details.map((each) => childOf(each, "Amt") ?? at(each, "AmtDtls", "TxAmt", "Amt"));
  const isSplit = details.length > 1 && amounts.every((amount) => amount !== undefined);
  const parts = isSplit ? details : [details[0]];
  const isDebit = isOut(entry);
  const amount = childOf(entry, "Amt");
  const status = textOf(entry, "Sts") ?? said(at(entry, "Sts", "Cd"));
  return parts.map((detail, n): Booking => {
    const own = isSplit ? amounts[n] : amount;
    const debit = isSplit && textOf(detail, "CdtDbtInd") !== null ? isOut(detail) : isDebit;
    const reference = textOf(entry, "AcctSvcrRef");
    const inner = said(at(detail, "Refs", "AcctSvcrRef")) ?? said(at(detail, "Refs", "EndToEndId"));
    return {
      offset: 0,
      raw: `${textOf(entry, "AcctSvcrRef") ?? ""} ${own?.text ?? ""} ${said(at(entry, "BookgDt", "Dt")) ?? ""}`,
      ownId: isSplit ? `${reference ?? ""}/${inner ?? n}` : (reference ?? textOf(entry, "NtryRef")),
      bookedOn: dateIn(childOf(entry, "BookgDt")) ?? dateIn(childOf(entry, "ValDt")),
      valuedOn: dateIn(childOf(entry, "ValDt")),
      amount: said(own),
      isDebit: debit,
      currency: own?.attributes.Ccy ?? null,
      counterparty: partyOf(detail, debit),
      memo: memoOf(entry, detail),
      more: structuredOf(detail),
      kind: said(at(entry, "BkTxCd", "Prtry", "Cd")) ?? said(at(entry, "BkTxCd", "Domn", "Fmly", "Cd")),
      status: status === "PDNG" ? "pending" : "booked",
      reference: inner === "NOTPROVIDED" ? null : inner,
    };
  });
}

/** A reversal says in which direction it goes itself; the mark that it is one changes nothing. */
const isOut = (node: XmlNode | undefined): boolean => textOf(node, "CdtDbtInd") === "DBIT";

/** Who got it if it went out, who sent it if it came in. */
function partyOf(detail: XmlNode | undefined, isDebit: boolean): string | null {
  const parties = childOf(detail, "RltdPties");
  const names = (isDebit ? ["Cdtr", "UltmtCdtr"] : ["Dbtr", "UltmtDbtr"]).flatMap((name) => {
    const party = childOf(parties, name);
    return textOf(party, "Nm") ?? said(at(party, "Pty", "Nm")) ?? [];
  });
  return names[0] ?? null;
}

function memoOf(entry: XmlNode, detail: XmlNode | undefined): string | null {
  const free = childrenOf(childOf(detail, "RmtInf"), "Ustrd").flatMap((node) => said(node) ?? []);
  const more = [textOf(detail, "AddtlTxInf"), textOf(entry, "AddtlNtryInf")].filter((text) => text !== null);
  return [...new Set([...free, ...more])].join("\n") || null;
}

/** Bills with a code to scan say here what they are for. */
const structuredOf = (detail: XmlNode | undefined): string[] =>
  childrenOf(childOf(detail, "RmtInf"), "Strd").flatMap((each) =>
    [...childrenOf(each, "AddtlRmtInf"), at(each, "CdtrRefInf", "Ref")].flatMap((node) => said(node) ?? []),
  );
