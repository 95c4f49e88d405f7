import type { Script } from "../script.ts";

export function catSurgery(s: Script): void {
  s.chat(
    "home",
    "2025-12-20 15:22",
    `
jonas> Biscuit has eaten the ribbon from the parcel. I think all of it
ada> the gold one?? how long
jonas> maybe 40 cm. she looks proud
ada> calling the vet NOW. don't pull if you see an end
@16:05
ada> Hasenbein takes us at 17:00, bring the basket
@20:31
ada> they operated. ribbon is out, 43 cm. she stays until tomorrow. Mila cried and then drew her a get-well card with the ribbon on it 🎀
jonas> I'm hiding every string in this house`,
  );
  s.mail({
    box: "private",
    at: "2025-12-22 09:40",
    from: "hasenbein",
    subject: "Biscuit: Entlassung und Rechnung TH-25-1893",
    labels: ["bills", "cat"],
    files: [{ filename: "rechnung-TH-25-1893.pdf", mime_type: "application/pdf", size_bytes: 40122 }],
    body: `Liebe Familie Brambleby,

Biscuit hat den Eingriff vom 20.12. gut überstanden. Bitte zehn Tage lang nicht springen lassen (wir wissen, wie das klingt), Kragen tragen, Schonkost in kleinen Portionen. Fäden ziehen am 02.01.2026 um 10:30 Uhr.

Die Rechnung TH-25-1893 beläuft sich auf 312,45 €.`,
  });
  const claim = s.mail({
    box: "private",
    at: "2025-12-22 20:15",
    from: "ada",
    to: ["Pfotenschutz <leistung@pfotenschutz.example.com>"],
    subject: "Leistungsantrag Katze Biscuit, Rechnung TH-25-1893",
    labels: ["insurance", "cat"],
    body: `Guten Tag,

anbei die Rechnung TH-25-1893 über 312,45 € für die Not-OP unserer Katze Biscuit am 20.12.2025. Unser Tarif erstattet 80 %.

Viele Grüße
Ada Brambleby`,
  });
  s.reply(
    claim,
    "2026-01-07 13:33",
    "Pfotenschutz <leistung@pfotenschutz.example.com>",
    `Guten Tag Frau Brambleby,

Ihr Antrag hat die Nummer PS-55102. Wir erstatten 80 % von 312,45 €, das sind 249,96 €. Die Zahlung ist unterwegs. Gute Besserung an Biscuit!`,
  );
  s.order({
    id: "TK-9071",
    shop: "Tatzenkiste",
    at: "2025-12-21 11:02",
    items: [
      ["Recovery collar, soft, size S", "pets", 1, 1690, { colour: "sunflower" }],
      ["Gentle diet wet food, 12 tins", "pets", 1, 2268],
    ],
    shipping: 390,
  });
  s.event({
    title: "Vet emergency: Biscuit (ribbon)",
    start: "2025-12-20 17:00",
    length: 60,
    location: "Tierarztpraxis am Speicher",
    made: "2025-12-20 16:02",
  });
  s.event({
    title: "Biscuit: stitches out",
    start: "2026-01-02 10:30",
    length: 20,
    location: "Tierarztpraxis am Speicher",
    made: "2025-12-22 10:00",
  });
  s.note({
    at: "2025-12-21 12:30",
    updated: "2026-01-09 18:00",
    title: "Biscuit",
    notebook: "Home",
    tags: ["cat", "insurance"],
    body: "Chip 900 000 555 010 771. Vet Dr. Hasenbein. Surgery on 20.12.2025 (ribbon, 43 cm), invoice TH-25-1893, 312.45 €. Pfotenschutz PS-55102 paid back 249.96 €. Cost us 62.49 €.\n\nNo ribbons. No hair ties. No string cheese.",
  });
  s.talk(
    "2025-12-20 15:31",
    "Cat swallowed ribbon",
    ["cat", "health"],
    [
      "My cat swallowed about 40 cm of gift ribbon ten minutes ago. Wait or vet?",
      `**Vet, today, now.** Please call before you read on.

Ribbon and string are the most dangerous things a cat can swallow. A smooth object may pass; a string can anchor at one point (often under the tongue or at the stomach exit) while the gut keeps pulling at the rest and gathers itself up along it like a curtain. That can cut through the wall of the gut.

Until you are there:

- Don't pull if you see an end, at either end of the cat. Don't cut it short either; they need to find it.
- No food, no oil, no salt water, nothing to make her vomit.
- Take the rest of the ribbon with you, so that they can see width and material.
- Note the time. Within about two hours they may be able to bring it up or fetch it with an endoscope, which is much easier than surgery.

Signs that it has become urgent on the way: vomiting again and again, a hunched back, drooling, a hard belly.

I hope she is fine. Write to me afterwards if you want help with the insurance letter.`,
    ],
  );
}
