import { detect } from "@pdpp/importers/plan";
import { describe, expect, it } from "vitest";
import { formats } from "#importers/formats/formats";
import { selectRecords } from "../fixtures/fixture-files.ts";
import type { Files } from "../generators/generator.ts";
import { answers, createMemoryTree } from "../support.ts";

async function readBookings(files: Files) {
  const [found] = (await detect(createMemoryTree(files, 0), formats)).claims;
  if (found?.importer.key !== "bank") throw new Error("it is not recognised");
  return selectRecords(await Array.fromAsync(found.importer.read(found.claim, answers)), "transactions");
}

describe("[IMP-11] bank statements", () => {
  it("OFX: reports a converted amount in the account's currency", async () => {
    const buildBooking = (n: number, currency: string) =>
      `<STMTTRN><TRNTYPE>DEBIT<DTPOSTED>20240130<TRNAMT>-13.50<FITID>${n}<NAME>Shop${currency}</STMTTRN>\n`;
    const ofx = `OFXHEADER:100\n\n<OFX><CREDITCARDMSGSRSV1><CCSTMTRS><CURDEF>CAD<CCACCTFROM><ACCTID>4111</CCACCTFROM><BANKTRANLIST>
${buildBooking(1, "<ORIGCURRENCY><CURRATE>1.35<CURSYM>USD</ORIGCURRENCY>")}${buildBooking(2, "<CURRENCY><CURRATE>1.35<CURSYM>USD</CURRENCY>")}${buildBooking(3, "")}</BANKTRANLIST></CCSTMTRS></CREDITCARDMSGSRSV1></OFX>`;
    expect((await readBookings({ "a.ofx": ofx })).map(({ currency, extra }) => [currency, extra])).toEqual([
      ["CAD", { original_currency: "USD", exchange_rate: "1.35" }],
      ["USD", {}],
      ["CAD", {}],
    ]);
  });

  it("QIF: keeps the splits of a booking and the other account", async () => {
    const qif =
      "!Type:Bank\nD31/01/2024\nT-7.00\nPShop\nSFood\nEbread\n$-5.00\nSHome\n$-2.00\n^\nD31/01/2024\nT-9.00\nL[Savings]\n^\n";
    expect((await readBookings({ "a.qif": qif })).map(({ category, extra }) => [category, extra])).toEqual([
      [
        null,
        {
          splits: [
            { category: "Food", memo: "bread", amount: -5 },
            { category: "Home", amount: -2 },
          ],
        },
      ],
      [null, { transfer: "Savings" }],
    ]);
  });

  it("camt: includes the structured reference of a bill", async () => {
    const camt = `<Document xmlns="urn:iso:std:iso:20022:tech:xsd:camt.053.001.08"><BkToCstmrStmt><Stmt><Acct><Id><IBAN>CH93</IBAN></Id></Acct>
<Ntry><Amt Ccy="CHF">10.00</Amt><CdtDbtInd>DBIT</CdtDbtInd><BookgDt><Dt>2024-01-31</Dt></BookgDt><NtryDtls><TxDtls><RmtInf><Strd>
<CdtrRefInf><Ref>210000000003139471430009017</Ref></CdtrRefInf><AddtlRmtInf>Rechnung Januar</AddtlRmtInf></Strd></RmtInf></TxDtls></NtryDtls></Ntry></Stmt></BkToCstmrStmt></Document>`;
    expect(await readBookings({ "a.xml": camt })).toMatchObject([
      { amount: -10, memo: "Rechnung Januar\n210000000003139471430009017" },
    ]);
  });
});
