import type { Script } from "../script.ts";

export function bikeTheft(s: Script): void {
  s.chat(
    "home",
    "2026-05-22 18:12",
    `
jonas> the cargo bike is gone
ada> gone how??
jonas> I parked it at the station at 7:10, east side, both locks. now there's half a lock and a coffee cup
ada> 😡 with Mila's seat?
jonas> with Mila's seat, the rain cover and my good clamps
ada> go to the police right away, I look for the frame number. it's on the invoice from 2024
@18:40
ada> found it: LX-88-40217. bought 14.03.2024 for 2.890
jonas> report number VR-2026-88214. the officer had his stolen too, last year`,
  );
  const claim = s.mail({
    box: "private",
    at: "2026-05-23 10:31",
    from: "ada",
    to: ["Hanse Fidelis Versicherung <schaden@hansefidelis.example.com>"],
    cc: ["jonas"],
    subject: "Schadenmeldung: Diebstahl Lastenrad, Vertrag 20-771-5",
    labels: ["insurance"],
    files: [
      { filename: "kaufbeleg-2024.pdf", mime_type: "application/pdf", size_bytes: 61240 },
      { filename: "schloss.jpg", mime_type: "image/jpeg", size_bytes: 482113 },
    ],
    body: `Sehr geehrte Damen und Herren,

gestern, am 22.05.2026, wurde zwischen 7:10 und 18:00 Uhr unser Lastenrad (Lexmoor Cargo 2, Rahmennummer LX-88-40217, Kaufpreis 2.890 €) am Bahnhof Lindenhafen, Ostseite, gestohlen. Es war mit zwei Schlössern gesichert. Vorgangsnummer der Polizei: VR-2026-88214. Kaufbeleg und ein Foto des Schlossrests liegen bei.

Mit freundlichen Grüßen
Ada Brambleby`,
  });
  const asked = s.reply(
    claim,
    "2026-05-29 14:06",
    "Hanse Fidelis Versicherung <schaden@hansefidelis.example.com>",
    `Sehr geehrte Frau Brambleby,

Ihr Schaden hat die Nummer HF-61-2207. Bitte senden Sie uns noch beide Schlüssel des aufgebrochenen Schlosses (Marke, Sicherheitsstufe).

Hanse Fidelis, Team Fahrrad`,
  );
  s.reply(
    asked,
    "2026-05-30 09:20",
    "ada",
    `Guten Tag, die Schlüssel gehen heute per Einschreiben an Sie (Bügelschloss "Torvald 15"). Viele Grüße, Ada Brambleby`,
  );
  s.mail({
    box: "private",
    at: "2026-06-24 11:17",
    from: "Hanse Fidelis Versicherung <schaden@hansefidelis.example.com>",
    subject: "HF-61-2207: Ihre Entschädigung",
    labels: ["insurance", "important"],
    body: `Sehr geehrte Frau Brambleby,

wir haben Ihren Schaden HF-61-2207 abgeschlossen. Zeitwert des Rades: 2.600,00 €, abzüglich Selbstbehalt 150,00 €. Wir überweisen Ihnen 2.450,00 €.

Hanse Fidelis, Team Fahrrad`,
  });
  s.order({
    id: "RK-20871",
    shop: "Radkontor",
    at: "2026-06-29 17:25",
    items: [
      ["Cargo bike Lexmoor Cargo 3, green", "bicycle", 1, 299900, { frame_number: "LX-93-11806", gears: 8 }],
      ["Child seat with belt", "bicycle", 1, 8900],
      ["Chain lock 120 cm, level 15", "bicycle", 1, 6100],
    ],
    delivered: "2026-07-04 10:00",
  });
  s.event({
    title: "Pick up the new cargo bike (RK-20871)",
    start: "2026-07-04 10:00",
    length: 60,
    location: "Radkontor, Deichtor 8",
    guests: ["jonas", "mila"],
    made: "2026-06-29 17:40",
  });
  s.chat(
    "home",
    "2026-06-24 12:02",
    `
ada> insurance pays!! 2600 minus 150 = 2450
jonas> the new one is 3149 with seat and lock. so 699 from us
ada> ok. but this one sleeps in the courtyard ::👍 jonas`,
  );
  s.note({
    at: "2026-05-22 21:30",
    updated: "2026-07-04 19:10",
    title: "Cargo bike: theft and insurance",
    notebook: "Home",
    tags: ["bike", "insurance"],
    body: `Stolen 22.05.2026 at the station (7:10–18:00). Lexmoor Cargo 2, frame LX-88-40217, bought 14.03.2024 for 2,890 €.
Police VR-2026-88214. Hanse Fidelis, contract 20-771-5, claim HF-61-2207.
Paid out 24.06.: 2,600 − 150 = 2,450.00 €.
New bike RK-20871: 3,149.00 €, frame LX-93-11806. Difference: 699.00 €.`,
  });
}
