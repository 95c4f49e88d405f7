import type { Answers, Claim, Importer, Item } from "../../core/importer.ts";
import { createClaim } from "../../core/items.ts";
import { readTogether } from "../../core/reading.ts";
import { defineMoneyStreams } from "../../core/records/money.ts";
import { defineManifest } from "../../core/records/schema.ts";
import { type DateOrder, dateOrders, parseDateOrder } from "../../core/time/date-order.ts";
import { type Entry, readHead } from "../../tree/tree.ts";
import { readCamt } from "./camt.ts";
import { readOfx } from "./ofx.ts";
import { detectQifDateOrder, readQif } from "./qif.ts";
import { Accounts } from "./records.ts";

/** Bank statements in OFX, QIF and camt. */
export const bank: Importer = {
  key: "bank",
  title: "Bank statements",
  version: "2",
  testedWith: "real files",
  manifest: defineManifest("bank", "Bank", "1.0.0", defineMoneyStreams()),
  mergeRules: {
    accounts: {
      fill: ["name", "institution", "number", "kind", "currency", "balance", "balance_on"],
      is_shared: true,
    },
  },
  mainStream: "transactions",
  sniff: (path, { text }) => detectKind(path, text) !== undefined,
  createClaims: async (found) => [await claimStatements(found)],
  read: (claim, answers, from) => readTogether(claim, from, (entries, first) => readAll(answers, entries, first)),
};

type Kind = "ofx" | "qif" | "camt";

function detectKind(path: string, text: string): Kind | undefined {
  if (/<OFX>/i.test(text) && /OFXHEADER|<\?OFX|<SIGNONMSGSRS|<STMTTRN|MSGSRSV\d/i.test(text)) return "ofx";
  if (/urn:iso:std:iso:20022:tech:xsd:camt\.05[234]/.test(text)) return "camt";
  return /\.qif$/i.test(path) && /^\ufeff?\s*!(Type|Account|Option)/i.test(text) ? "qif" : undefined;
}

const detectEntryKind = async (entry: Entry): Promise<Kind | undefined> =>
  detectKind(entry.path, Buffer.from(await readHead(entry, 65_536)).toString("utf8"));

async function claimStatements(found: readonly Entry[]): Promise<Claim> {
  const orders: (DateOrder | undefined)[] = [];
  for (const entry of found) if ((await detectEntryKind(entry)) === "qif") orders.push(await detectQifDateOrder(entry));
  return createClaim("bank", "Bank statements", found, {
    questions: orders.includes(undefined)
      ? [{ key: "date_order", text: "How do the QIF files write their dates?", choices: dateOrders }]
      : [],
  });
}

async function* readAll(answers: Answers, entries: readonly Entry[], first: number): AsyncGenerator<Item> {
  const accounts = new Accounts();
  for (const [n, entry] of entries.entries()) {
    const kind = await detectEntryKind(entry);
    if (kind === "camt") yield* readCamt(entry, first + n, accounts);
    else if (kind === "ofx") yield* readOfx(entry, first + n, accounts);
    else {
      const order = (await detectQifDateOrder(entry)) ?? parseDateOrder(answers.date_order) ?? "mdy";
      yield* readQif(entry, first + n, accounts, order);
    }
  }
  yield* accounts.buildRecords();
}
