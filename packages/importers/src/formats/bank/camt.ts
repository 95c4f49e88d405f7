import { deriveId } from "../../core/identity.ts";
import type { Item } from "../../core/importer.ts";
import { mark, reject } from "../../core/items.ts";
import { findChild, findChildren, getChildText, parseXml, type XmlNode } from "../../core/parsing/xml-tree.ts";
import { parseAmount } from "../../core/records/money.ts";
import { describeError } from "../../core/text/describe-error.ts";
import { readWhole } from "../../tree/damage.ts";
import { type Entry, TreeError } from "../../tree/tree.ts";
import { type Account, type Accounts, type Booking, Bookings, parseDay } from "./records.ts";

/** camt.052, 053 and 054: statements of European banks. A file covers days or months, so it is read whole. */

const maxBytes = 64 * 1024 * 1024;

export async function* readCamt(entry: Entry, index: number, accounts: Accounts): AsyncGenerator<Item> {
  const bookings = new Bookings(entry.path);
  let root: XmlNode;
  let bytes: Uint8Array = Buffer.alloc(0);
  try {
    bytes = await readWhole(entry, maxBytes);
    root = parseXml(bytes);
  } catch (error) {
    const [code, why] = error instanceof TreeError ? [error.code, ""] : ["malformed", "not valid XML: "];
    return yield reject(entry.path, 0, code, `${why}${describeError(error)}`, bytes);
  }
  let n = 0;
  for (const message of root.children) {
    for (const statement of message.children) {
      if (!/^(Stmt|Rpt|Ntfctn)$/.test(statement.name)) continue;
      const account = readAccount(statement);
      accounts.add(account);
      for (const booked of findChildren(statement, "Ntry")) {
        for (const booking of readBookings(booked)) yield bookings.createItem(account, booking);
        n += 1;
        yield mark(index, n);
      }
    }
  }
}

/** Follows a path of child names: `at(node, "Acct", "Id", "IBAN")`. */
const findDescendant = (node: XmlNode | undefined, ...names: readonly string[]): XmlNode | undefined =>
  names.reduce<XmlNode | undefined>((inner, name) => findChild(inner, name), node);

const getText = (node: XmlNode | undefined): string | null => node?.text.replace(/\s+/g, " ").trim() || null;

function readAccount(statement: XmlNode): Account {
  const acct = findChild(statement, "Acct");
  const iban = getText(findDescendant(acct, "Id", "IBAN")) ?? getText(findDescendant(acct, "Id", "Othr", "Id"));
  const institution = findChild(findChild(acct, "Svcr"), "FinInstnId");
  const closing = findChildren(statement, "Bal").findLast(
    (bal) => getText(findDescendant(bal, "Tp", "CdOrPrtry", "Cd")) === "CLBD",
  );
  const balance = parseAmount(getText(findChild(closing, "Amt")));
  const isDebit = getChildText(closing, "CdtDbtInd") === "DBIT";
  return {
    id: deriveId("account", null, iban),
    name: getChildText(acct, "Nm") ?? getText(findDescendant(acct, "Ownr", "Nm")) ?? iban,
    institution:
      getChildText(institution, "Nm") ?? getChildText(institution, "BIC") ?? getChildText(institution, "BICFI"),
    number: iban,
    kind: null,
    currency: getChildText(acct, "Ccy"),
    balance: balance === null ? null : isDebit ? -balance : balance,
    balanceOn: readDate(findChild(closing, "Dt")),
  };
}

const readDate = (node: XmlNode | undefined): string | null =>
  parseDay(getChildText(node, "Dt") ?? getChildText(node, "DtTm"));

/** One booking for an entry, or one for each of its details if all of them have amounts. */
function readBookings(entry: XmlNode): Booking[] {
  const details = findChildren(entry, "NtryDtls").flatMap((each) => findChildren(each, "TxDtls"));
  const amounts = details.map((each) => findChild(each, "Amt") ?? findDescendant(each, "AmtDtls", "TxAmt", "Amt"));
  const isSplit = details.length > 1 && amounts.every((amount) => amount !== undefined);
  const parts = isSplit ? details : [details[0]];
  const isDebit = isOut(entry);
  const amount = findChild(entry, "Amt");
  const status = getChildText(entry, "Sts") ?? getText(findDescendant(entry, "Sts", "Cd"));
  return parts.map((detail, n): Booking => {
    const own = isSplit ? amounts[n] : amount;
    const debit = isSplit && getChildText(detail, "CdtDbtInd") !== null ? isOut(detail) : isDebit;
    const reference = getChildText(entry, "AcctSvcrRef");
    const inner =
      getText(findDescendant(detail, "Refs", "AcctSvcrRef")) ?? getText(findDescendant(detail, "Refs", "EndToEndId"));
    return {
      offset: 0,
      raw: `${getChildText(entry, "AcctSvcrRef") ?? ""} ${own?.text ?? ""} ${getText(findDescendant(entry, "BookgDt", "Dt")) ?? ""}`,
      ownId: isSplit ? `${reference ?? ""}/${inner ?? n}` : (reference ?? getChildText(entry, "NtryRef")),
      bookedOn: readDate(findChild(entry, "BookgDt")) ?? readDate(findChild(entry, "ValDt")),
      valuedOn: readDate(findChild(entry, "ValDt")),
      amount: getText(own),
      isDebit: debit,
      currency: own?.attributes.Ccy ?? null,
      counterparty: getCounterparty(detail, debit),
      memo: readMemo(entry, detail),
      more: readReferences(detail),
      kind:
        getText(findDescendant(entry, "BkTxCd", "Prtry", "Cd")) ??
        getText(findDescendant(entry, "BkTxCd", "Domn", "Fmly", "Cd")),
      status: status === "PDNG" ? "pending" : "booked",
      reference: inner === "NOTPROVIDED" ? null : inner,
    };
  });
}

/** Reversals already state their own direction, so the reversal flag is ignored. */
const isOut = (node: XmlNode | undefined): boolean => getChildText(node, "CdtDbtInd") === "DBIT";

/** The creditor of a debit, the debtor of a credit. */
function getCounterparty(detail: XmlNode | undefined, isDebit: boolean): string | null {
  const parties = findChild(detail, "RltdPties");
  const names = (isDebit ? ["Cdtr", "UltmtCdtr"] : ["Dbtr", "UltmtDbtr"]).flatMap((name) => {
    const party = findChild(parties, name);
    return getChildText(party, "Nm") ?? getText(findDescendant(party, "Pty", "Nm")) ?? [];
  });
  return names[0] ?? null;
}

function readMemo(entry: XmlNode, detail: XmlNode | undefined): string | null {
  const free = findChildren(findChild(detail, "RmtInf"), "Ustrd").flatMap((node) => getText(node) ?? []);
  const more = [getChildText(detail, "AddtlTxInf"), getChildText(entry, "AddtlNtryInf")].filter(
    (text) => text !== null,
  );
  return [...new Set([...free, ...more])].join("\n") || null;
}

/** Structured references, as on bills with a QR code. */
const readReferences = (detail: XmlNode | undefined): string[] =>
  findChildren(findChild(detail, "RmtInf"), "Strd").flatMap((each) =>
    [...findChildren(each, "AddtlRmtInf"), findDescendant(each, "CdtrRefInf", "Ref")].flatMap(
      (node) => getText(node) ?? [],
    ),
  );
