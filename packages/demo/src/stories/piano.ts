import { page } from "../pictures.ts";
import type { Script } from "../script.ts";

export function piano(s: Script): void {
  s.mail({
    box: "private",
    at: "2026-02-18 16:22",
    from: "reuter",
    subject: "Vorspiel am 14. März",
    labels: ["piano"],
    body: `Liebe Familien,

unser Frühlingsvorspiel ist am Samstag, 14. März, um 15 Uhr in der Alten Seilerei. Mila spielt an fünfter Stelle „Der kleine Bär geht übers Eis" (das mit der schwierigen linken Hand, die sie jetzt kann). Bitte Hausschuhe mitbringen, der Boden ist frisch geölt.`,
  });
  const moved = s.mail({
    box: "private",
    at: "2026-08-12 10:40",
    from: "reuter",
    subject: "Neue Unterrichtszeit ab September",
    labels: ["piano"],
    body: `Liebe Frau Brambleby,

ab September unterrichte ich donnerstags in der Musikschule. Könnte Mila auf Mittwoch, 16:30 Uhr, wechseln? Der Preis bleibt bei 27 € für 40 Minuten.`,
  });
  s.reply(
    moved,
    "2026-08-13 21:02",
    "ada",
    "Liebe Frau Okoro-Reuter, Mittwoch 16:30 passt sogar besser, ab 2. September also. Mila übt gerade (hörbar) das Krabbenlied, das sie auf Morvanec gelernt hat.\n\nHerzlich, Ada Brambleby",
  );
  s.order({
    id: "TS-4419",
    shop: "Tastenschmiede",
    at: "2025-11-22 14:10",
    items: [
      ["Digital piano, second hand, 88 keys, with stand", "music", 1, 42000, { condition: "used", keys: 88 }],
      ["Piano stool, adjustable", "music", 1, 4900],
    ],
    shipping: 3500,
    delivered: "2025-11-27 17:30",
  });
  s.event({
    title: "Mila: Frühlingsvorspiel",
    start: "2026-03-14 15:00",
    length: 90,
    location: "Alte Seilerei",
    guests: ["jonas", "mila"],
    description: "„Der kleine Bär geht übers Eis“, fifth. Slippers!",
    made: "2026-02-18 18:00",
  });
  s.chat(
    "home",
    "2026-03-14 17:08",
    `
jonas> she didn't stop once
ada> left hand!!! did you film it?
jonas> first half. then something got in my eye ::🥹 ada`,
  );
  s.note({
    at: "2026-03-14 20:00",
    title: "Milas Stücke",
    notebook: "Family",
    tags: ["piano", "mila"],
    body: "Frühling 2026: „Der kleine Bär geht übers Eis“ (14.03., fünfte).\nSommer: Krabbenlied, selbst ausgedacht.\nHerbst: Mittwochs 16:30 ab 02.09. „Laternen im Nebel“.",
    files: [
      {
        filename: "kleiner-baer-noten.png",
        mimeType: "image/png",
        caption: "Ihre eigenen Fingersätze",
        bytes: () => page("noten", [30, 30, 30]),
      },
    ],
  });
}
