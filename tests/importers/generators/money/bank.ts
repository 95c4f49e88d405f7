import { bank } from "#importers/formats/bank/bank";
import { createEndlessFile, type Dice, drawSentence, formatIsoDay, type Generator, people } from "../generator.ts";

const formatDay = (n: number): string => formatIsoDay(n % 300).replaceAll("-", "");

const formatAmount = (dice: Dice): string => `${dice.chance(0.8) ? "-" : ""}${dice.int(1, 999)}.${dice.int(10, 99)}`;

/** As old programs write it: values are not closed. */
const drawBooking = (dice: Dice, n: number): string =>
  `<STMTTRN>\n<TRNTYPE>DEBIT\n<DTPOSTED>${formatDay(n)}120000.000[-5:EST]\n<TRNAMT>${formatAmount(dice)}\n` +
  `<FITID>${n % 9 === 4 ? "" : `F${n}`}\n<NAME>${dice.pick(people)} &amp;amp; Co\n<MEMO>${drawSentence(dice)}\n</STMTTRN>\n`;

const buildOpening = (currency = "EUR"): string =>
  "OFXHEADER:100\nDATA:OFXSGML\nCHARSET:1252\n\n<OFX>\n<SIGNONMSGSRSV1><SONRS><FI><ORG>Bank of Ada<FID>1</FI></SONRS></SIGNONMSGSRSV1>\n" +
  `<BANKMSGSRSV1><STMTTRNRS><STMTRS>\n<CURDEF>${currency}\n<BANKACCTFROM>\n<BANKID>1\n<ACCTID>12345678\n<ACCTTYPE>CHECKING\n</BANKACCTFROM>\n<BANKTRANLIST>\n`;

const buildClosing = (balance: string, on: string): string =>
  `</BANKTRANLIST>\n<LEDGERBAL>\n<BALAMT>${balance}\n<DTASOF>${on}\n</LEDGERBAL>\n</STMTRS></STMTTRNRS></BANKMSGSRSV1>\n</OFX>\n`;

const buildCamt = (entries: string): string =>
  `<?xml version="1.0"?><Document xmlns="urn:iso:std:iso:20022:tech:xsd:camt.053.001.04"><BkToCstmrStmt><Stmt>` +
  `<Acct><Id><IBAN>DE1</IBAN></Id><Ccy>EUR</Ccy></Acct>${entries}</Stmt></BkToCstmrStmt></Document>`;

const buildEntry = (n: number, sign: string): string =>
  `<Ntry><Amt Ccy="EUR">10.${10 + n}</Amt><CdtDbtInd>${sign}</CdtDbtInd><Sts>BOOK</Sts><BookgDt><Dt>${formatIsoDay(n)}</Dt></BookgDt>` +
  `<AcctSvcrRef>R${n}</AcctSvcrRef><NtryDtls><TxDtls><RltdPties><Cdtr><Nm>Ada</Nm></Cdtr></RltdPties><RmtInf><Ustrd>rent</Ustrd></RmtInf></TxDtls></NtryDtls></Ntry>`;

const buildQif = (items: readonly string[]): string => `!Type:Bank\n${items.join("\n^\n")}\n^\n`;

export const bankGenerator: Generator = {
  importer: bank,
  pair(dice, size) {
    const all = Array.from({ length: size * 2 }, (_, n) => drawBooking(dice, n));
    // The same booking twice on one day, without ids, is two bookings.
    const twice = `<STMTTRN><DTPOSTED>20240101<TRNAMT>-2.50<FITID><NAME>Coffee</STMTTRN>\n`;
    const added = drawBooking(dice, size * 2);
    const paper = ["D01/23/2024\nPPayee\nT-1,234.50\nLFood:Out", "D02/01/2024\nMNote only\nT20"];
    return {
      older: {
        "konto.ofx": `${buildOpening()}${all.join("")}${twice}${twice}${buildClosing("100.00", "20241101")}`,
        "old.qif": buildQif(paper),
        "statement.xml": buildCamt(buildEntry(1, "DBIT") + buildEntry(2, "CRDT")),
      },
      newer: {
        "konto-2.ofx": `${buildOpening()}${all.slice(3).join("")}${added}${buildClosing("90.00", "20241130")}`,
        "new.qif": buildQif([...paper, "D02/15/2024\nPPayee\nT-3"]),
      },
    };
  },
  hostile(dice) {
    const bad = [
      "<STMTTRN><TRNTYPE>DEBIT<DTPOSTED>20240231<TRNAMT>-1.00<FITID>x</STMTTRN>",
      "<STMTTRN><DTPOSTED>20240101<TRNAMT>many<FITID>y</STMTTRN>",
      "<STMTTRN><DTPOSTED><TRNAMT>-1.00<FITID>z</STMTTRN>",
      "<STMTTRN><DTPOSTED>20240102<TRNAMT>$120<FITID>ok<NAME>nul \u0000 <![CDATA[a < b]]></STMTTRN>",
      "<STMTTRN><DTPOSTED>20240103<TRNAMT>-3,50<FITID>cut",
    ];
    return {
      files: {
        "a.ofx": Buffer.from(`${buildOpening()}${drawBooking(dice, 1)}${bad.join("\n")}`, "latin1"),
        "b.xml": `${buildCamt(buildEntry(1, "DBIT"))}<`,
        "c.xml": buildCamt(`${buildEntry(1, "DBIT")}<Ntry><Amt Ccy="EUR">x</Amt></Ntry>`),
        "d.qif": buildQif(["D13/23/2024\nT-1", "D99/99/2024\nT-1", "Dsoon\nTlater", "PNo date"]),
      },
      good: 4,
    };
  },
  endless: (dice, bytes) =>
    createEndlessFile("konto.ofx", bytes, (n) => drawBooking(dice, n), [buildOpening(), "", "</OFX>"]),
};
