/** A table for the diary and the household's notes. */
export const noteSlots = {
  weather: [
    "Fog until noon",
    "Frost on the bicycle seats",
    "Rain, the horizontal kind",
    "First warm evening",
    "Wind that steals hats",
    "Blue and cold",
    "A sky like the inside of a shell",
    "Swifts all day",
    "Smell of tar and lilac",
    "Leaves in the stairwell",
  ],
  mila: [
    "Mila read to the cat for an hour, with voices",
    "Mila lost at chess against Heinz and shook his hand",
    "Mila asked who invented Tuesdays",
    "Mila built a harbour from wood shavings",
    "Mila won't eat anything round this week",
    "Mila practised until Herr Dornbusch applauded through the wall",
    "Mila wrote a letter to the sea and wants an answer",
    "Mila can tie a bowline now, and ties everything",
  ],
  jonas: [
    "Jonas finished a table and couldn't stop stroking it",
    "Jonas came home with sawdust in his ears",
    "Jonas repaired Ploy's drawer, paid in spring rolls",
    "Jonas has a new apprentice who hums",
    "Jonas fell asleep during the film, as announced",
    "Jonas made a box for the box",
  ],
  me: [
    "I said no to something and nothing bad happened",
    "I forgot my own PIN and remembered my first telephone number",
    "I wrote half a page that I don't hate",
    "I ran before work and was unbearable all day",
    "I called Maman and we were silent for a while, which was nice",
    "I sorted the photos until 1998 and then gave up",
    "I had an idea in the shower and lost it on the stairs",
  ],
  good: [
    "the light on the water at five",
    "soup",
    "a stranger who held the door and the dog",
    "the sound of the ferry through the open window",
    "a sentence in the book, p. 112",
    "being early, for once",
    "Ploy's laugh from two floors down",
    "clean sheets",
  ],
} as const;

export const recipes: readonly (readonly [title: string, body: string])[] = [
  [
    "Odiles Pflaumentarte",
    "250 g farine, 125 g beurre, un œuf, une pincée de sel. Prunes coupées en deux, **peau vers le bas**, du sucre seulement après. 35 min à 190 °C.\n\n« Trois œufs, pas quatre » ne vaut que pour le gâteau au yaourt, ne pas confondre!",
  ],
  [
    "Heinz' Grünkohl",
    "1 kg Grünkohl nach dem ersten Frost, Zwiebeln, Gänseschmalz (oder Öl, „wenn es sein muss“), Hafergrütze zum Binden. Zwei Stunden, besser drei. Am nächsten Tag aufwärmen, dann ist er fertig.",
  ],
  [
    "おにぎり (Haruka)",
    "お米は短い粒のものを。水は1.1倍。塩は手につける。\n\nFillings that worked: umeboshi, tuna with too much mayo, Mila's invention (cheese and cucumber). Don't press, persuade.",
  ],
  [
    "ผัดกะเพรา, Ploy's rules",
    '1. กะเพรา, not โหระพา. 2. Pan smoking hot. 3. Garlic and chilli pounded, never cut. 4. Egg on top with crispy edge (ไข่ดาว). 5. No vegetables, "this is not salad".',
  ],
  [
    "كشك حمص: Rania's hummus",
    "Soak overnight with soda, boil until they fall apart, peel if you love someone. Tahini, lemon, ice water: الماء المثلج هو السر (the ice water is the secret). Blend for five whole minutes.",
  ],
  [
    "Bread, the lazy one",
    "400 g flour, 300 g water, 8 g salt, 1 g yeast. Stir, forget for 18 hours, fold, pot, 30 + 15 min at 240. If it fails, it's croutons.",
  ],
  [
    "Pancakes, Mila's version",
    "written by Mila: 3 egs, mehl bis es gut ausieht, milch, ein bischen salz (nicht wie letztes mal). Papa dreht um. Ich streue.",
  ],
];

export const lists: readonly (readonly [at: string, title: string, notebook: string, body: string])[] = [
  [
    "2025-11-09 10:30",
    "Winter: things to fix",
    "Home",
    "Kitchen tap, third stair, Mila's lamp, the window in the bathroom (seal), bicycle lights. The boiler is fine. (Famous last words, see January.)",
  ],
  [
    "2025-11-30 17:00",
    "Christmas presents",
    "Family",
    "Mila: telescope (Sternkiste). Jonas: the Japanese saw. Odile: nothing, the book comes in April. Heinz: thermos + time. Felix: a vase, for once. Ploy: tea. Samir: the good pen.",
  ],
  [
    "2026-01-01 11:15",
    "2026, not resolutions",
    "Journal",
    "Less: apologising, scrolling, onions. More: sea, sleep, saying things first. One big decision at most. (Note in May: it was one.)",
  ],
  [
    "2026-04-20 20:40",
    "Handover Heron",
    "Work",
    "Tomasz: tariff tables, nightly-tariffs, rate-export. Samir: rules engine, validity checks, the rounding museum. Greta: the contract with the data centre (ends 31.12.). Passwords: with Ilse, in the envelope. Plant: Tomasz.",
  ],
  [
    "2026-05-08 17:30",
    "Tidewater glossary",
    "Work",
    "**datum** the zero everything is measured from. **residual** measured minus predicted. **harmonic** one of the ~37 waves the tide is made of. **gauge** the thing in the water. **epoch** nineteen years, because of the moon. **surge** what the wind adds. **slack** when the water makes up its mind.",
  ],
  [
    "2026-06-30 21:10",
    "Money, half year",
    "Money",
    "Out of the ordinary: boiler 486.71, vet 312.45 (249.96 back), physio 228.00, roof levy 4,200.00, bike 3,149.00 (2,450.00 back), holiday house 1,680.00. In: tax refund expected in September. Breathe.",
  ],
  [
    "2026-09-16 22:20",
    "Launch of the tide table API",
    "Work",
    "Live since 10:04. First external call from the sea rescue volunteers at 10:11. p95 84 ms. One rollback (Ben, a typo in a header), eleven minutes. Noor brought the bell. First customers: two ferry lines, the harbour master.",
  ],
  [
    "2026-10-18 19:00",
    "Schools to visit in November",
    "Family",
    "14.11. Gymnasium am Leuchtturm (10–14 Uhr). 21.11. Gesamtschule Ost (9:30). Ask: languages, afternoon, way by bike, piano room. Mila's only criterion: Juno.",
  ],
  [
    "2026-02-14 09:40",
    "Combining marks I had to explain twice",
    "Work",
    "é can be one code point or two (e + ́). Same letters, different bytes: café ≠ café until you normalise. Also: Z͑͗a̾l͒g̈o in test data found by Tomasz, of course. And the family emoji 👨‍👩‍👧 is five code points.",
  ],
];
