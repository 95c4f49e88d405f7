import type { Script } from "../script.ts";

const papers = [
  "wage statement Northlight 2025",
  "Jonas: profit calculation Holzwerk 2025",
  "after-school care, 12 × 84 = 1,008 €",
  "donation receipt Seenotretter 120 €",
  "receipts craftsmen 2025 (window seals, 214 €)",
  "interest certificate Hafenbank",
  "commuting days: 138",
];

export function taxes(s: Script): void {
  s.talk(
    "2026-05-25 20:50",
    "Checklist for the 2025 tax return",
    ["money", "taxes"],
    [
      `We file jointly for 2025 (I'm employed, Jonas is self-employed as a cabinetmaker, one child). What papers do we need and in which order would you do it? We have a month.`,
      `This is general guidance; for the parts that depend on Jonas's business, an adviser's hour is well spent.

### Week 1: collect, don't think

Put everything on one pile, sorted only by person. ${papers.map((paper) => `\n- ${paper}`).join("")}

### Week 2: Jonas's calculation

The profit calculation for the workshop feeds into everything else, so do it before the forms. Check three things: invoices written in December but paid in January belong to the year in which the money came; the new planer is to be written off over its useful life unless it was cheap enough for a single go; the van is either business with a log book or business with the flat rate, not both.

### Week 3: the household

- **Child care**: two thirds can be deducted up to a ceiling. You need the invoices *and* proof of transfer; cash does not count. 12 × 84 € is 1,008 €.
- **Craftsmen at home**: only the labour, not the material, and only if you paid by transfer. For 2025 that is the window seals. The boiler repair belongs to **2026**, even though it feels like last winter: it was paid on 26 January 2026. Keep R-2026-0117 for next year. Labour and call-out on it are 259.00 € net.
- **Donations**: 120 € with a receipt, fine.
- **Commuting**: days at the office times distance one way. Holidays and home days are not office days; 138 is plausible, and you should be able to show how you counted.

### Week 4: file and sleep

Fill in the forms, let them lie for three days, read them once more with a pencil, send. Then save the transmission receipt with the date in its name.

### What changes next year

You change employers in May, so for 2026 there will be two wage statements. Also: the insurance payment for the stolen bicycle replaces something you owned and is no income, and the refund from the pet insurance isn't either.

Two mistakes I see often: forgetting that the after-school lunch is not child care (only the care part is), and entering the commute both ways.`,
    ],
  );
  s.mail({
    box: "private",
    at: "2026-06-28 22:14",
    from: "Steuerportal <noreply@steuerportal.example.org>",
    subject: "Übermittlung erfolgreich: Einkommensteuer 2025",
    labels: ["taxes"],
    body: `Ihre Einkommensteuererklärung 2025 (Steuernummer 42/815/00423) wurde am 28.06.2026 um 22:13 Uhr übermittelt. Transferticket: st4711x0815q.`,
  });
  s.mail({
    box: "private",
    at: "2026-09-10 09:00",
    from: "Steuerportal <noreply@steuerportal.example.org>",
    subject: "Ihr Bescheid für 2025 liegt bereit",
    labels: ["taxes", "important"],
    body: `Guten Tag Ada und Jonas Brambleby,

Ihr Bescheid über Einkommensteuer für 2025 liegt bereit. Erstattung: 1.043,17 €. Der Betrag wird bis zum 15.09.2026 auf das Konto bei der Hafenbank überwiesen. Gegen den Bescheid können Sie innerhalb eines Monats Einspruch einlegen.`,
  });
  s.event({
    title: "Tax evening with Jonas (bring cider)",
    start: "2026-06-14 20:00",
    length: 150,
    location: "kitchen table",
    guests: ["jonas"],
  });
  s.event({ title: "Tax return: file!", calendar: "ada", start: "2026-06-28 20:30", length: 120 });
  s.chat(
    "home",
    "2026-09-10 12:31",
    `
ada> tax office gives back 1.043,17
jonas> more than last year?
ada> last year it was 612. the planer did it
jonas> I always said the planer pays for itself ::😄 ada`,
  );
  s.note({
    at: "2026-05-26 21:20",
    updated: "2026-09-15 19:00",
    title: "Taxes 2025",
    notebook: "Money",
    tags: ["taxes"],
    body: "Filed 28.06.2026, ticket st4711x0815q. Assessment 10.09.: refund 1,043.17 €, arrived on 15.09. (2024: 612 €.)\n\nFor 2026 keep: R-2026-0117 (boiler), both wage statements, PB-2026-311 (physio).",
    checklist: papers.map((text) => ({ text, done: true })),
  });
}
