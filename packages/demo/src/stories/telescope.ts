import { jupiter } from "../pictures.ts";
import type { Script } from "../script.ts";

export function telescope(s: Script): void {
  s.order({
    id: "SK-33187",
    shop: "Sternkiste",
    at: "2025-12-02 21:50",
    items: [
      [
        "Table telescope 114/500 with two eyepieces",
        "gifts",
        1,
        18900,
        { aperture_mm: 114, focal_mm: 500, eyepieces: ["20 mm", "9 mm"] },
      ],
    ],
    refund: 2000,
    status: "partly_refunded",
    delivered: "2025-12-11 11:18",
    payment: "card ending 4408",
    note: "9 mm eyepiece arrived cracked; replaced on 2025-12-19, 20.00 refunded for the trouble.",
  });
  const cracked = s.mail({
    box: "private",
    at: "2025-12-11 20:05",
    from: "ada",
    to: ["Sternkiste <hilfe@sternkiste.example.com>"],
    subject: "Bestellung SK-33187: Okular zerbrochen",
    labels: ["christmas"],
    body: `Guten Abend,

das Teleskop aus Bestellung SK-33187 ist heute gekommen, leider hat das 9-mm-Okular einen Sprung von Rand zu Rand. Es soll ein Weihnachtsgeschenk für eine sehr ungeduldige Achtjährige werden. Lässt sich vor dem 24. noch etwas machen?

Ada Brambleby`,
  });
  s.reply(
    cracked,
    "2025-12-12 09:27",
    "Sternkiste <hilfe@sternkiste.example.com>",
    `Liebe Frau Brambleby,

wie ärgerlich! Ein neues 9-mm-Okular geht heute per Express raus und sollte spätestens am 19.12. da sein. Für den Schrecken erstatten wir Ihnen außerdem 20,00 €. Klaren Himmel wünscht

die Sternkiste`,
  );
  s.chat(
    "home",
    "2025-12-19 17:15",
    `
ada> the eyepiece is here. not cracked!! 🔭
jonas> I've hidden the tube behind the planks in the workshop. she'll never look there
ada> she looks everywhere`,
  );
  s.event({
    title: "First light! Jupiter with Mila",
    start: "2026-01-03 19:30",
    length: 90,
    location: "Hohe Düne car park",
    guests: ["jonas", "mila"],
    made: "2026-01-02 21:00",
  });
  s.note({
    at: "2026-01-03 22:10",
    updated: "2026-01-04 09:00",
    title: "Jupiter!",
    notebook: "Family",
    tags: ["mila", "telescope", "stars"],
    body: "3 January, −4 °C, very clear. Mila found Jupiter on her own after eleven minutes. Four moons: two left, two right. She asked if somebody there was looking at us and whether they were also cold.\n\nTelescope SK-33187, 189 € − 20 € back. The 9 mm eyepiece is the new one.",
    files: [
      {
        filename: "jupiter-03-jan.png",
        mimeType: "image/png",
        caption: "Mila's drawing, done again on the computer",
        bytes: () => jupiter("january"),
      },
    ],
  });
  s.talk(
    "2025-12-28 20:00",
    "What can a child see with a 114 mm telescope",
    ["family", "astronomy"],
    [
      "Our daughter (8) got a 114/500 telescope with 20 mm and 9 mm eyepieces. Harbour town, some street light. What should we look at in January so that she isn't disappointed? She expects colours like in books.",
      `Begin with what cannot fail, and say beforehand what it will *not* look like: faint things have no colour in the eyepiece, because our eyes see no colour in the dark. The wonder is that it is really there.

**Evening 1: the Moon.** With the 20 mm eyepiece (25×). Choose an evening when it is half, not full; the craters along the shadow line throw long shadows and look like bites. Let her steer. Let her lose it.

**Evening 2: Jupiter.** High and bright in the east in January. With 9 mm (55×) a small oval with two stripes, and beside it up to four points in a line: the large moons. Draw them. Draw them again two days later: they have moved, and this is exactly what convinced people that not everything turns around us.

**Evening 3: the Pleiades.** Lowest power. Six stars with the naked eye, fifty in the telescope, like spilled sugar.

**Evening 4: the Orion nebula.** Below the belt. A grey-green mist with four tight stars in the middle, as if someone had breathed on the glass. It is a place where stars are made. It looks modest, and it should be introduced with a drum roll.

**Evening 5: a star of two colours.** Almach in Andromeda splits into gold and blue with the 9 mm eyepiece. This one *has* colours. Keep it for the evening when she complains.

**How to keep a child warm and patient**

- Thirty minutes, not ninety. Stop while she still wants more.
- Put the telescope out half an hour earlier, so that the air in the tube calms down.
- Red light only: a bicycle lamp with red paper.
- Cocoa belongs to the equipment.
- She keeps the log book: date, time, what, a drawing, and how cold, in "frozen fingers" from one to five.

From the harbour the first four work even under street lamps. For the nebula drive to the dunes once.`,
    ],
  );
}
