import { dial } from "../pictures.ts";
import type { Script } from "../script.ts";

export function birthdayParty(s: Script): void {
  s.chat(
    "home",
    "2026-05-17 20:05",
    `
ada> Mila has decided: deep sea party. she wants to be the octopus
jonas> eight arms, I can do that with the foam from the workshop
ada> 11 children 😬 saturday 13 june, 14:30–18:00. if it rains we're dead
jonas> if it rains it's deep sea ::😂 ada`,
  );
  const invite = s.mail({
    box: "private",
    at: "2026-05-23 17:40",
    from: "ada",
    to: ["leonie", "deniz", "yara"],
    cc: ["jonas"],
    subject: "Einladung: Milas Tiefseefest am 13. Juni 🐙",
    labels: ["birthday"],
    body: `Ahoi zusammen,

Mila wird neun und taucht ab: am Samstag, 13. Juni, von 14:30 bis 18:00 Uhr im Hof Lindenufer 14. Bitte alte Kleidung, die nach Wasser und Farbe aussehen darf. Sagt uns kurz, wer kommt, und ob es Allergien gibt.

Ada, Jonas & der Oktopus`,
  });
  s.reply(
    invite,
    "2026-05-23 21:12",
    "leonie",
    `Juno kommt sehr gern! Wichtig: Juno ist gegen Haselnüsse allergisch, richtig, mit Notfallstift. Der Stift kommt mit, ich zeige Euch, wie er geht.`,
  );
  s.reply(
    invite,
    "2026-05-25 08:03",
    "deniz",
    `Emre ist dabei und hat schon eine Taucherbrille auf. Nur bitte keine Gelatine (also keine normalen Gummibärchen). Danke Euch!`,
  );
  s.reply(
    invite,
    "2026-05-26 19:47",
    "yara",
    `Pelle kommt. Fiete leider nicht, wir sind da bei der Oma geteilt: ein Kind dort, eins bei Euch. 😅`,
  );
  s.order({
    id: "ZH-0613",
    shop: "Konditorei Zuckerhafen",
    at: "2026-06-02 10:20",
    items: [
      [
        "Octopus cake, vanilla and raspberry, nut-free, for 14",
        "groceries",
        1,
        5400,
        { writing: "Mila 9", nut_free: "yes", gelatine: "none" },
      ],
    ],
    delivered: "2026-06-13 11:00",
  });
  s.order({
    id: "KN-44871",
    shop: "Konfettiwolf",
    at: "2026-06-03 22:14",
    items: [
      ["Balloons, sea colours, 30", "party", 1, 690],
      ["Paper garland fish, 4 m", "party", 2, 545],
      ["Water bombs, refillable, 12", "toys", 1, 1490],
      ["Fruit gums without gelatine, 500 g", "groceries", 2, 485],
      ["Bandanas for pirates, 12", "party", 1, 0],
    ],
    shipping: 495,
  });
  s.event({
    title: "🐙 Mila turns 9: deep sea party",
    start: "2026-06-13 14:30",
    length: 210,
    location: "Courtyard, Lindenufer 14",
    guests: ["jonas", "leonie", "deniz", "yara:tentative"],
    description:
      "11 invited, 9 coming. Cake ZH-0613, collect by 11:00. Juno: hazelnut allergy (pen!). Emre: no gelatine.",
    made: "2026-05-23 17:20",
  });
  s.event({
    title: "Collect octopus cake, Zuckerhafen",
    start: "2026-06-13 10:45",
    length: 20,
    location: "Konditorei Zuckerhafen",
    made: "2026-06-02 10:25",
  });
  s.talk(
    "2026-05-31 21:40",
    "Deep sea birthday party for eleven nine-year-olds",
    ["family"],
    [
      "Plan a three-and-a-half-hour deep sea party for 11 children (all about nine) in a courtyard. Two adults, one of them dressed as nothing in particular, and our daughter is the octopus. One child has a serious hazelnut allergy, one doesn't eat gelatine. Little money, much water.",
      `Eleven nine-year-olds are two teams of five and one octopus, which is convenient.

**14:30 Arrival: the ink bowl.** Every diver dips a thumb into blue finger paint and signs the big paper sea on the wall. It gives the early ones something to do and you something to keep.

**14:50 Pass the pressure.** A circle, a balloon filled with water, music. Whoever holds it when the music stops "goes one level deeper" (sits, lies, crawls). Nobody is out; deeper is better.

**15:15 Rescue the eggs.** The octopus guards twelve water bombs. Teams take turns to steal one each without being touched by any of eight arms. The octopus always wins a little. Refill in between.

**15:50 Cake.** Sit down, in the shade. *Allergy check first:* read the label of everything you did not bake, including the sprinkles; keep the guests' gifts of sweets closed until the parents are there. For the second child: gummies with pectin or agar say so on the front.

**16:30 Treasure dive.** A paddling pool with two centimetres of sand, cold water and one tea towel as a blindfold. Ten seconds each. Glass stones, three coins, one key. The key opens the chest, and only together do both teams have the number of its lock: count the fish on the garland.

**17:10 Quiet water.** They are tired now and will not admit it. Lie on blankets, each tells one thing that lives in the deep sea, true or invented; the others vote which. Have three true ones ready: a fish that carries its own lamp, a worm without a mouth, a snail in iron armour.

**17:40 Goody jars.** A jam jar, blue lentils, one plastic fish, the fruit gums. No nuts, no gelatine, one label for all so that nobody gets the "special" jar.

**18:00 Parents.** Hand back children in the order of wetness.

Things to have: 12 towels, one dry set of clothes in a middle size, plasters, a whistle, the emergency pen on the kitchen shelf where both of you can reach it, and the phone number of the mother who brings it.`,
    ],
  );
  s.note({
    at: "2026-05-24 09:15",
    updated: "2026-06-13 21:30",
    title: "Tiefseefest 13.06.",
    notebook: "Family",
    tags: ["birthday", "mila", "party"],
    body: "Invited 11, came 9: Juno, Emre, Pelle, Ida, Thore, Malu, Kaan, Lotti, Finja. Missing: Fiete (grandma), Jette (fever). Allergy: Juno hazelnut, pen on the kitchen shelf. Emre no gelatine.\n\nAfterwards: best moment was the key. Worst moment was Thore and the finger paint. Grandma Odile's present (microscope) was the hit.",
    checklist: ["cake ZH-0613", "towels", "octopus arms (Jonas)", "treasure chest lock: 17", "thank-you cards"].map(
      (text, index) => ({ text, done: index < 4 }),
    ),
    files: [
      {
        filename: "oktopus-torte.png",
        mimeType: "image/png",
        caption: "The cake before",
        bytes: () => dial([236, 120, 150], [70, 120, 170], [250, 240, 230], { slices: 8 }),
      },
      {
        filename: "teller-danach.png",
        mimeType: "image/png",
        caption: "The cake after",
        bytes: () => dial([245, 245, 245], [70, 120, 170], [180, 200, 220], {}),
      },
    ],
  });
  s.chat(
    "parents",
    "2026-06-13 20:10",
    `
leonie> Danke für diesen irren Tag!! Juno schläft mit Taucherbrille 🤿
deniz> Emre sagt, der Oktopus hat geschummelt
ada> Der Oktopus bestreitet das und isst gerade Tortenreste ::😂 leonie ::🐙 deniz`,
  );
}
