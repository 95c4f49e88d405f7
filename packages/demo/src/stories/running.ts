import type { Script } from "../script.ts";

const weeks: readonly (readonly [title: string, tue: string, thu: string, sun: string])[] = [
  [
    "Week 1: walk",
    "20 min brisk walk, flat",
    "25 min walk, calf raises 3 × 8 on both legs",
    "35 min walk, last 5 min uphill",
  ],
  [
    "Week 2: walk, loaded",
    "30 min walk",
    "calf raises 3 × 12, then 20 min on the bike",
    "45 min walk with a small rucksack",
  ],
  [
    "Week 3: first steps",
    "8 × (1 min jog, 2 min walk)",
    "calf raises 3 × 15, single leg from today",
    "6 × (2 min jog, 2 min walk)",
  ],
  ["Week 4: longer steps", "6 × (3 min jog, 2 min walk)", "strength, no running", "5 × (4 min jog, 1 min walk)"],
  [
    "Week 5: nearly running",
    "3 × (8 min jog, 2 min walk)",
    "strength, single leg with 4 kg",
    "20 min without a break, slower than you think",
  ],
  ["Week 6: five kilometres", "25 min easy", "strength", "5 km easy; stop if the calf speaks up"],
  ["Week 7: settle", "30 min easy", "strength, 10 min hopping drills", "6 km easy"],
  ["Week 8: settle, part two", "30 min with 4 × 20 s quicker", "strength", "7 km easy"],
];

function comeback(): string {
  const plan = weeks.map(
    ([title, tue, thu, sun]) => `**${title}**\n- Tuesday: ${tue}\n- Thursday: ${thu}\n- Sunday: ${sun}`,
  );
  return `I'm not a physiotherapist and Lena Storch has seen your leg, so treat this as a draft to show her. A grade 1 to 2 strain of the calf usually needs three to six weeks before running and about the same again until it is forgotten.

The rule that matters more than the table: **pain during is allowed up to 2 out of 10, pain the next morning is not.** If the morning test (ten single-leg calf raises, barefoot, by the sink) hurts, repeat the last painless week.

${plan.join("\n\n")}

**About the race.** The Hafenlauf on 19 April falls into your week 6 at the earliest. A half marathon six weeks after a strain is how one strain becomes three. Most races let you defer; ask now, because the fee for it grows towards race day.

**What helps, with decent evidence:** slow heavy calf raises, sleep, patience. **What feels good and does little:** compression sleeves, ice after the second day. **What makes it worse:** stretching hard in the first ten days, and testing it "just for the bus".

**Signs that need a doctor the same day:** a swollen, warm, reddish calf, or shortness of breath. That is not a strain, that may be a clot.`;
}

export function running(s: Script): void {
  s.order({
    id: "LF-50412",
    shop: "Laufend Gut",
    at: "2025-11-29 09:30",
    items: [["Hafenlauf half marathon, entry 19.04.2026", "sport", 1, 4900, { distance_km: 21.1, bib: 1742 }]],
    status: "completed",
    delivered: null,
  });
  s.order({
    id: "WL-77120",
    shop: "Windläufer",
    at: "2026-02-13 12:25",
    items: [
      ["Road shoes Windläufer 3, size 40", "sport", 1, 13990, { size: 40, colour: "ice blue" }],
      ["Running socks, 3 pairs", "sport", 1, 2190],
    ],
    status: "partly_refunded",
    refund: 13990,
    note: "Shoes too narrow, returned on 2026-02-20; socks kept.",
  });
  s.order({
    id: "WL-77391",
    shop: "Windläufer",
    at: "2026-02-21 10:02",
    items: [["Road shoes Windläufer 3 Wide, size 40.5", "sport", 1, 14490, { size: 40.5, colour: "fern" }]],
  });
  s.order({
    id: "AP-20931",
    shop: "Apotheke am Markt",
    at: "2026-03-08 11:40",
    items: [
      ["Compression sleeve calf, left, M", "health", 1, 2495],
      ["Cooling gel 100 ml", "health", 1, 795],
      ["Kinesiology tape, blue", "health", 1, 1150],
    ],
  });
  s.chat(
    "runners",
    "2026-03-07 10:58",
    `
ada> so. 14 km in, past the crane, something in my left calf went "plop"
priya> plop like "cramp" or plop like "ball"?
ada> like a small ball. I walked home 4 km with a stick
nell> nooo. ice, leg up, no heroics!!
bertil> When I had that it was six weeks. Sorry. You'll hate me for saying it.
ada^> I already hate you a little bit Bertil ::😅 bertil
@+2 13:10
ada> doctor says strain, grade one to two. no running till mid april at the earliest. so no Hafenlauf for me
priya> we carry a photo of you at km 21
ada> a flattering one please`,
  );
  s.chat(
    "runners",
    "2026-06-06 09:40",
    `
ada> 5 km. without stopping. without plop. 34:12 and I don't care about the number ::🥳 priya ::💪 nell ::👏 bertil
priya> SHE IS BACK
nell> coffee is on me on tuesday`,
  );
  s.chat(
    "runners",
    "2026-09-27 12:20",
    `
priya> ladies and Bertil: our Ada, 10 km at the Speicherlauf, 58:41 🏅
bertil> Under an hour! Chapeau.
ada> the last two km were only possible because Nell shouted names of cakes
nell> FRANZBRÖTCHEN ::😂 ada`,
  );
  const defer = s.mail({
    box: "private",
    at: "2026-03-10 19:12",
    from: "ada",
    to: ["Hafenlauf Orga <orga@hafenlauf.example.org>"],
    subject: "Startnummer 1742: Startplatz verschieben",
    body: `Hallo zusammen,

ich habe mir die Wade gezerrt und kann am 19.04. nicht starten (Startnummer 1742, Bestellung LF-50412). Kann ich den Platz auf 2027 verschieben?

Viele Grüße
Ada Brambleby`,
  });
  s.reply(
    defer,
    "2026-03-11 12:01",
    "Hafenlauf Orga <orga@hafenlauf.example.org>",
    `Hallo Ada,

gute Besserung! Bis zum 15. März geht das ohne Gebühr: Dein Startplatz gilt jetzt für den Hafenlauf am 18. April 2027. Die Startnummer bekommst Du neu.

Dein Orga-Team`,
  );
  const sessions = ["2026-03-12", "2026-03-19", "2026-03-26", "2026-04-02", "2026-04-16", "2026-04-30"];
  s.mail({
    box: "private",
    at: "2026-03-09 15:20",
    from: "storch",
    subject: "Ihre Termine (6 × Krankengymnastik)",
    labels: ["health"],
    body: `Guten Tag Frau Brambleby,

Ihre Termine, jeweils donnerstags um 8:00 Uhr: ${sessions.map((day) => `${day.slice(8)}.${day.slice(5, 7)}.`).join(", ")}. Die Behandlung kostet 38,00 € je Termin und wird am Ende gesammelt berechnet. Bitte bringen Sie ein Handtuch mit.`,
  });
  s.mail({
    box: "private",
    at: "2026-05-05 10:10",
    from: "storch",
    subject: "Rechnung PB-2026-311",
    labels: ["health", "bills"],
    body: `Guten Tag Frau Brambleby,

für sechs Behandlungen (12.03. bis 30.04.2026) berechnen wir 6 × 38,00 € = 228,00 €. Alles Gute für die Wade, und bitte die Übungen weitermachen, auch wenn sie langweilig sind.`,
  });
  for (const [index, day] of sessions.entries()) {
    s.event({
      title: `Physio ${index + 1}/6, Lena Storch`,
      calendar: "ada",
      start: `${day} 08:00`,
      length: 40,
      location: "Praxis Bewegt, Hafengasse 21",
      made: "2026-03-09 15:31",
    });
  }
  s.event({
    title: "Hafenlauf half marathon (deferred to 2027!)",
    calendar: "ada",
    start: "2026-04-19 10:00",
    length: 150,
    status: "cancelled",
    location: "Lindenhafen, Alter Kran",
    made: "2025-11-29 09:35",
  });
  s.event({
    title: "Speicherlauf 10 km",
    calendar: "ada",
    start: "2026-09-27 10:30",
    length: 90,
    location: "Speicherstraße",
    guests: ["priya", "nell", "bertil"],
    description: "Goal: under an hour, no plop.",
  });
  s.talk(
    "2026-03-09 21:10",
    "Calf strain: how to come back",
    ["health", "running"],
    [
      "I strained my left calf on Saturday (7 March) at km 14 of a long run, doctor says grade 1–2. I had signed up for a half marathon on 19 April. Physio starts on Thursday. Can you draft an eight-week way back to easy running, three sessions a week (Tue, Thu, Sun), assuming all goes well?",
      comeback(),
      "Deferred to 2027, for free. Lena crossed out the hopping drills and said otherwise fine.",
      "Then take hers over mine; she can see the leg. Without the hopping, put the ten minutes into walking downhill slowly: the calf has to learn to brake again. And write down the morning test every day. Three weeks from now you will not remember which mornings were good.",
    ],
  );
  s.note({
    at: "2025-11-16 18:40",
    updated: "2026-09-27 20:02",
    title: "Running log",
    notebook: "Health",
    tags: ["running", "injury"],
    body: `Hafenlauf 19.04.2026, bib 1742 → deferred to 18.04.2027.

2025-11-16  9 km, fog, 57:40
2025-12-14  12 km with Priya
2026-01-18  13 km, ice on the quay, slow
2026-02-22  16 km, new wide shoes, good
2026-03-07  14 km, left calf. Plop.
2026-04-14  first jog, 8 × 1 min
2026-05-10  20 min without a break
2026-06-06  5 km in 34:12
2026-07-27  6 km on Morvanec, headwind from all sides
2026-08-23  8 km
2026-09-27  Speicherlauf 10 km, 58:41 (!!)

Physio: 6 sessions, 228 € (PB-2026-311).`,
    files: [
      {
        filename: "running-log.csv",
        mimeType: "text/csv",
        caption: "Export from the watch: date, km, minutes",
        bytes: () =>
          new TextEncoder().encode(
            "date,km,minutes\n2025-11-16,9.0,57.7\n2025-12-14,12.0,79.1\n2026-01-18,13.0,90.5\n2026-02-22,16.0,104.2\n2026-03-07,14.1,91.0\n2026-06-06,5.0,34.2\n2026-07-27,6.0,41.9\n2026-08-23,8.0,50.3\n2026-09-27,10.0,58.68\n",
          ),
      },
    ],
  });
}
