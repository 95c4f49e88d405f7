import { type PdfLine, pdf } from "../pdf.ts";
import { euros } from "../phrases.ts";
import { dial } from "../pictures.ts";
import type { Script } from "../script.ts";

const number = "R-2026-0117";
const positions: readonly (readonly [text: string, cents: number])[] = [
  ["Anfahrt und Notdienstpauschale 13.01.2026", 8900],
  ["Arbeitszeit Monteur 2,5 Std. à 68,00 €", 17000],
  ["Membran-Ausdehnungsgefäß 18 l", 11800],
  ["Sicherheitsventil 3 bar", 3200],
];
const net = positions.reduce((sum, [, cents]) => sum + cents, 0);
const tax = Math.round(net * 0.19);
const boilerTotal = net + tax;

const german = (cents: number) => `${euros(cents).replace(".", ",")} €`;

function boilerInvoice(): Uint8Array {
  const rows = positions.flatMap(([text, cents], index): PdfLine[] => [
    [60, 560 - index * 22, 11, `${index + 1}.  ${text}`],
    [460, 560 - index * 22, 11, german(cents)],
  ]);
  return pdf(`Rechnung ${number}`, [
    [60, 780, 18, "Kessel & Sohn Heizungsbau"],
    [60, 762, 10, "Werftweg 3 · Lindenhafen · buero@kessel-und-sohn.example.com"],
    [60, 710, 11, "Ada Brambleby"],
    [60, 695, 11, "Lindenufer 14, 3. OG rechts"],
    [60, 680, 11, "00423 Lindenhafen"],
    [60, 630, 14, `Rechnung ${number}`],
    [60, 610, 10, "Rechnungsdatum 19.01.2026 · Leistung 13.01. und 16.01.2026 · zahlbar bis 02.02.2026"],
    ...rows,
    [360, 450, 11, "Summe netto"],
    [460, 450, 11, german(net)],
    [360, 432, 11, "19 % USt."],
    [460, 432, 11, german(tax)],
    [360, 410, 13, "Gesamtbetrag"],
    [460, 410, 13, german(boilerTotal)],
    [60, 360, 10, "Gewährleistung auf Ausdehnungsgefäß und Ventil bis 16.01.2028."],
    [60, 344, 10, "Diese Rechnung ist Teil eines erfundenen Haushalts."],
  ]);
}

export function boiler(s: Script): void {
  s.chat(
    "home",
    "2026-01-12 06:41",
    `
ada> are you still in the flat? there's a puddle under the boiler
ada> not condensation, an actual puddle. Biscuit is drinking from it 😩
jonas> already at the workshop. how much?
ada> i'd say half a litre. pressure gauge says 0.4, it was 1.5 on friday
jonas> turn it off at the wall and put the blue tub under it. I'll call Kessel as soon as they open
ada> off. radiators are getting cold, Mila is having breakfast in her snowsuit
jonas> she would have done that anyway ::😂 ada
@08:22
jonas> Kessel: someone comes tomorrow 9:00. emergency fee 89 €, I said yes
ada> good. I'll work from home then
@+1 10:15
ada> guy was here. the expansion vessel is dead and the safety valve drips because of it. he sealed it for now, we have heating at low pressure, part comes friday
jonas> did he say what it costs?
ada> "unter fünfhundert". let's see
@+3 15:30
ada> repaired! new 18 litre vessel, new valve, 1.6 bar. warm feet 🎉
jonas> 🙌 tell Mila the snowsuit era is over`,
  );
  const first = s.mail({
    box: "private",
    at: "2026-01-12 07:58",
    from: "ada",
    to: ["kessel"],
    subject: "Undichte Therme, Lindenufer 14, 3. OG rechts",
    body: `Guten Morgen Herr Kessel,

seit heute Nacht verliert unsere Therme Wasser (Baujahr 2014, Typ "Calidor 20"). Das Manometer steht bei 0,4 bar, am Freitag waren es noch 1,5. Ich habe das Gerät ausgeschaltet und eine Wanne daruntergestellt. Könnten Sie heute oder morgen jemanden schicken? Wir haben ein Kind von acht Jahren im Haushalt.

Viele Grüße
Ada Brambleby`,
  });
  const answer = s.reply(
    first,
    "2026-01-12 08:35",
    "kessel",
    `Guten Morgen Frau Brambleby,

wie eben mit Ihrem Mann besprochen: Herr Lorch kommt morgen, Dienstag, um 9 Uhr. Bitte die Therme ausgeschaltet lassen und nicht selbst nachfüllen. Die Notdienstpauschale beträgt 89 € netto.`,
  );
  s.reply(
    answer,
    "2026-01-13 11:02",
    "kessel",
    `Guten Tag Frau Brambleby,

das Ausdehnungsgefäß (18 l) ist defekt, dadurch bläst das Sicherheitsventil ab. Beides ist bestellt; Einbau am Freitag, 16.01., ab 13 Uhr. Bis dahin bitte nicht über 1,0 bar gehen.`,
  );
  s.mail({
    box: "private",
    at: "2026-01-19 09:14",
    from: "kessel",
    subject: `Rechnung ${number}`,
    files: [
      {
        filename: `Rechnung_${number}.pdf`,
        mime_type: "application/pdf",
        size_bytes: boilerInvoice().length,
        bytes: boilerInvoice,
      },
    ],
    labels: ["bills", "home"],
    body: `Sehr geehrte Frau Brambleby,

anbei erhalten Sie die Rechnung ${number} über ${german(boilerTotal)}, zahlbar bis zum 02.02.2026. Auf das Ausdehnungsgefäß und das Ventil geben wir Gewährleistung bis zum 16.01.2028.

Wir empfehlen eine Wartung einmal im Jahr, am besten vor der Heizperiode.`,
  });
  s.mail({
    box: "private",
    at: "2026-01-26 20:03",
    from: "Hafenbank <service@hafenbank.example.com>",
    subject: "Ihre Überweisung wurde ausgeführt",
    labels: ["bank"],
    body: `Guten Tag Ada Brambleby,

Ihre Überweisung wurde ausgeführt:

Empfänger: Kessel & Sohn Heizungsbau
Betrag: ${german(boilerTotal)}
Verwendungszweck: ${number}

Ihre Hafenbank`,
  });
  s.event({
    title: "Kessel & Sohn: boiler emergency visit",
    start: "2026-01-13 09:00",
    length: 90,
    location: "home",
    made: "2026-01-12 08:25",
    description: "Herr Lorch. Emergency call-out 89 € net. Work from home.",
  });
  s.event({
    title: "Boiler repair (new expansion vessel)",
    start: "2026-01-16 13:00",
    length: 120,
    location: "home",
    made: "2026-01-13 11:10",
  });
  s.event({
    title: "Boiler yearly service, Kessel & Sohn",
    start: "2026-10-06 08:30",
    length: 60,
    location: "home",
    made: "2026-09-18 19:20",
    description: "Ask about the pressure: it fell to 1.2 over the summer.",
  });
  s.order({
    id: "FW-118204",
    shop: "Funkelwerk",
    at: "2026-01-14 21:09",
    items: [
      ["Water leak alarm, set of 2", "household", 1, 3990, { battery: "CR123A", siren_db: 85 }],
      ["Boiler drip tray 40 x 30 cm", "household", 1, 1250],
    ],
    shipping: 490,
  });
  s.talk(
    "2026-01-12 07:12",
    "Boiler loses pressure and drips",
    ["home", "heating"],
    [
      "Our gas boiler (12 years old) dropped from 1.5 to 0.4 bar over the weekend and there is a puddle under it. I switched it off. What is likely broken and what should I ask the technician? We can't get anyone before tomorrow.",
      `Switching it off was right. With the pressure that low the boiler would lock itself out anyway.

**What the symptoms point to**

1. **Expansion vessel.** The most common cause in a boiler of that age. The vessel holds a cushion of nitrogen behind a membrane; when the membrane tears or the gas has leaked away, the water has nowhere to expand. Every time the heating warms up, the pressure shoots up, the safety valve opens and lets water out. When it cools, the pressure falls too low. Repeat that over a weekend and you lose a bar.
2. **Safety valve.** Often a consequence of the first: once it has opened a few times, dirt sits on the seat and it keeps dripping.
3. **A leaking joint or heat exchanger.** Less likely, but worth excluding, because an exchanger in a twelve-year-old boiler changes the economics.

**How to tell them apart while you wait**

- Look at the end of the thin copper pipe that comes from the safety valve. If it is wet, it is 1 or 2.
- Press the pin of the valve on top of the expansion vessel *briefly*, like a bicycle valve. Air is good; water means the membrane is gone.
- A dry safety valve and wet joints or a wet casing point to 3.

**Questions for the technician**

- What was the pre-charge of the vessel before you touched it?
- Is the vessel large enough for our system? (18 litres is usual for a three-room flat with radiators.)
- Do you replace the safety valve at the same time? It costs little and has been working hard.
- Is the part covered by a warranty, and for how long?

**Costs, roughly.** Call-out 80–120 €, two to three hours of labour, vessel 100–150 €, valve 25–40 €, all net. Under 600 € including tax would be fair. If someone says "new boiler" before they have measured the pre-charge, get a second opinion.

Until then: leave it off, keep the tub under it, and do not refill to more than 1.0 bar. If it freezes tonight, open the radiator valves a little and leave inner doors open.`,
      "The pipe from the safety valve is wet and the pin spat water.",
      `Then you have your answer: torn membrane, and a safety valve that has been opening because of it. Water at the pin is conclusive.

Tell them on the phone that the vessel has water on the gas side. They may bring the part along and save you a second visit. And photograph the gauge now; it helps if anyone asks later why it was an emergency.`,
    ],
  );
  s.note({
    at: "2026-01-13 19:40",
    updated: "2026-10-06 12:05",
    title: "Boiler (Calidor 20)",
    notebook: "Home",
    tags: ["boiler", "warranty", "home"],
    pinned: true,
    body: `Built 2014. Serial CAL-20-771903. Target pressure 1.5 bar, refill below 1.0.

**January 2026**: expansion vessel torn, safety valve leaking. Repaired on 16.01. by Kessel & Sohn (Herr Lorch). Invoice ${number}, ${euros(boilerTotal)} € incl. tax, paid on 26.01. Warranty on both parts until 16.01.2028.

**October 2026**: yearly service on 06.10., 129.00 €, topped up from 1.2 to 1.6 bar. He says the exchanger will last "noch drei, vier Winter".

The shutoff is behind the broom. Yes, the broom has to go first.`,
    files: [
      {
        filename: `Rechnung_${number}.pdf`,
        mimeType: "application/pdf",
        caption: `Invoice ${number} from Kessel & Sohn`,
        bytes: boilerInvoice,
      },
      {
        filename: "manometer-0-4-bar.png",
        mimeType: "image/png",
        caption: "The gauge on Monday morning: 0.4 bar",
        bytes: () => dial([236, 236, 230], [120, 110, 100], [60, 60, 60], { slices: 8, needle: 0.13 }),
      },
    ],
  });
}
