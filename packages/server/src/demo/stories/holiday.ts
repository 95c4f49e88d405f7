import { coast } from "../pictures.ts";
import type { Script } from "../script.ts";
import { itinerary } from "./holiday-answers.ts";

export function holiday(s: Script): void {
  s.chat(
    "home",
    "2026-02-08 20:31",
    `
ada> summer. we need to decide before all the nice places are gone
jonas> mountains?
ada> Mila wants sea. "real sea with crabs". my mother says Morvanec is lovely and you can get there by train and ferry
jonas> the island? isn't that where your uncle lost the dinghy
ada> the same 😄 look at this: Maison des Goélands, two rooms, garden, 120 m from the beach, 120 € a night
jonas> 18.7. to 1.8.? that's 14 nights = 1680. ok with me if there's a kitchen
ada> kitchen, oven, coffee machine "à l'italienne"
jonas> sold ::❤️ ada
@+14 21:15
ada> booked and deposit paid: 504. rest is due on 20 june
jonas> 🐚🐚🐚`,
  );
  const request = s.mail({
    box: "private",
    at: "2026-02-09 19:22",
    from: "ada",
    to: ["maelle"],
    subject: "Demande de réservation, 18 juillet – 1er août",
    labels: ["travel"],
    body: `Bonjour Madame,

nous sommes une famille de trois (deux adultes et une fille qui aura neuf ans en juin) et nous aimerions beaucoup louer la Maison des Goélands du samedi 18 juillet au samedi 1er août 2026. Est-elle encore libre ? Et peut-on garer un vélo-cargo à l'abri de la pluie ?

Bien cordialement,
Ada Brambleby`,
  });
  const offer = s.reply(
    request,
    "2026-02-10 10:07",
    "maelle",
    `Bonjour Ada,

quelle bonne nouvelle, la maison est libre à ces dates ! Le séjour de 14 nuits coûte 1 680,00 €, draps et serviettes compris. Un acompte de 30 % (504,00 €) confirme la réservation, le solde de 1 176,00 € est à régler avant le 20 juin. Il y a un petit hangar pour les vélos ; attention, la porte est capricieuse par temps humide.

Le marché est le mercredi et le samedi. Et oui, il y a des crabes, beaucoup de crabes.`,
  );
  s.reply(
    offer,
    "2026-02-22 21:02",
    "ada",
    `Bonjour Maëlle,

c'est parfait, je viens de virer l'acompte de 504,00 €. Nous prendrons le bateau de 15 h 10. À très bientôt !

Ada`,
  );
  s.mail({
    box: "private",
    at: "2026-02-23 09:48",
    from: "maelle",
    subject: "Confirmation de réservation GOE-77213",
    labels: ["travel"],
    body: `Bonjour Ada,

acompte bien reçu. Votre réservation porte le numéro GOE-77213 :

  Maison des Goélands, 4 venelle du Phare, Île de Morvanec
  Arrivée : samedi 18 juillet 2026, à partir de 16 h
  Départ : samedi 1er août 2026, avant 10 h
  Total : 1 680,00 € · acompte reçu : 504,00 € · solde : 1 176,00 €

Annulation gratuite jusqu'au 18 mai. La clé est chez Monsieur Tanguy, au numéro 2, celui qui a des hortensias bleus.`,
  });
  s.mail({
    box: "private",
    at: "2026-06-20 08:30",
    from: "maelle",
    subject: "Solde bien reçu, merci !",
    labels: ["travel"],
    body: `Bonjour Ada,

le solde de 1 176,00 € est arrivé ce matin, merci. Tout est réglé pour GOE-77213. Pensez à prendre des sandales qui vont dans l'eau : les rochers sont couverts de moules.`,
  });
  s.order({
    id: "GOE-77213-A",
    shop: "Maison des Goélands",
    at: "2026-02-22 20:58",
    items: [["Deposit, 14 nights Maison des Goélands", "travel", 1, 50400, { booking: "GOE-77213" }]],
    status: "completed",
    delivered: null,
    payment: "bank transfer",
    mails: false,
  });
  s.order({
    id: "GOE-77213-B",
    shop: "Maison des Goélands",
    at: "2026-06-19 18:40",
    items: [["Balance, 14 nights Maison des Goélands", "travel", 1, 117600, { booking: "GOE-77213" }]],
    status: "completed",
    delivered: null,
    payment: "bank transfer",
    mails: false,
  });
  s.order({
    id: "RB-48Q2Z1",
    shop: "Railbird",
    at: "2026-03-15 10:12",
    items: [
      [
        "Lindenhafen – Port-Kerlaouen and back, adult, seat reserved",
        "travel",
        2,
        12740,
        { outbound: "2026-07-18", inbound: "2026-08-01", seats: ["71", "72"] },
      ],
      [
        "Lindenhafen – Port-Kerlaouen and back, child",
        "travel",
        1,
        6380,
        { outbound: "2026-07-18", inbound: "2026-08-01", seats: ["73"] },
      ],
    ],
    status: "completed",
    delivered: null,
  });
  s.order({
    id: "LDL-30951",
    shop: "Lignes du Large",
    at: "2026-03-15 10:40",
    items: [
      ["Ferry Port-Kerlaouen – Morvanec, family, out 18.07. 15:10", "travel", 1, 7100],
      ["Ferry Morvanec – Port-Kerlaouen, family, back 01.08. 10:45", "travel", 1, 7100],
    ],
    refund: 7100,
    status: "partly_refunded",
    delivered: null,
    note: "Return crossing on 01.08. cancelled (storm), 71.00 refunded on 2026-08-06; crossed on 02.08. on the same ticket.",
  });
  s.order({
    id: "SW-60218",
    shop: "Sandwelle",
    at: "2026-07-06 20:15",
    items: [
      ["Water shoes, child, size 34", "clothing", 1, 1890, { colour: "coral", size: 34 }],
      ["Water shoes, adult, size 40", "clothing", 1, 2490, { colour: "navy", size: 40 }],
      ["Crab net with wooden handle", "toys", 1, 1195],
      ["Sun cream SPF 50, 200 ml", "drugstore", 2, 1090],
    ],
    shipping: 395,
  });
  s.mail({
    box: "private",
    at: "2026-07-31 17:26",
    from: "Lignes du Large <info@lignes-du-large.example.com>",
    subject: "⚠️ Traversée annulée : 1er août, 10 h 45 (LDL-30951)",
    labels: ["travel"],
    body: `Chère cliente, cher client,

en raison de l'avis de tempête, toutes les traversées au départ de Morvanec sont annulées le samedi 1er août 2026. Votre billet LDL-30951 est valable sur le premier départ du dimanche 2 août (09 h 20). La moitié retour (71,00 €) vous sera remboursée sous huit jours.

Lignes du Large`,
  });
  s.mail({
    box: "private",
    at: "2026-08-06 11:11",
    from: "Lignes du Large <info@lignes-du-large.example.com>",
    subject: "Remboursement LDL-30951 : 71,00 €",
    labels: ["travel"],
    body: `Bonjour,

nous avons remboursé 71,00 € sur votre carte se terminant par 4408 (dossier LDL-30951). Merci de votre patience et à bientôt à bord.`,
  });
  const extra = s.mail({
    box: "private",
    at: "2026-07-31 18:02",
    from: "ada",
    to: ["maelle"],
    subject: "GOE-77213 : une nuit de plus ?",
    labels: ["travel"],
    body: `Bonjour Maëlle, le bateau de demain est annulé. Pouvons-nous rester une nuit de plus dans la maison ?`,
  });
  s.reply(
    extra,
    "2026-07-31 18:20",
    "maelle",
    `Bien sûr ! Les suivants sont coincés sur le continent de toute façon. Je ne vous compte rien pour cette nuit, laissez juste un peu de café. Fermez bien les volets côté mer.`,
  );
  s.event({
    title: "🏖️ Île de Morvanec",
    start: "2026-07-18",
    length: 15,
    allDay: true,
    location: "Maison des Goélands, 4 venelle du Phare",
    guests: ["jonas", "mila"],
    made: "2026-02-23 20:10",
    description:
      "Booking GOE-77213. Key at no. 2 (blue hydrangeas). Planned return 01.08., moved to 02.08. because of the storm.",
  });
  s.event({
    title: "Train to Port-Kerlaouen (RB-48Q2Z1)",
    start: "2026-07-18 06:52",
    length: 430,
    location: "Lindenhafen Hbf, platform 7",
    description: "Seats 71–73. Ferry 15:10, LDL-30951.",
    made: "2026-03-15 10:45",
  });
  s.event({
    title: "Pay balance Maison des Goélands (1176 €)",
    start: "2026-06-20",
    length: 1,
    allDay: true,
    calendar: "ada",
    made: "2026-02-23 20:12",
  });
  s.event({
    title: "Ferry back 10:45, CANCELLED (storm)",
    start: "2026-08-01 10:45",
    length: 70,
    status: "cancelled",
    location: "Morvanec pier",
    made: "2026-07-31 17:40",
  });
  s.event({
    title: "Ferry back, new: 09:20",
    start: "2026-08-02 09:20",
    length: 70,
    location: "Morvanec pier",
    made: "2026-07-31 17:44",
  });
  s.chat(
    "home",
    "2026-07-31 17:34",
    `
ada> ferry tomorrow is cancelled. storm. first boat is sunday 9:20
jonas> saw it at the harbour. the man with the parrot says "force neuf". Mila is delighted
ada> Maëlle lets us stay one more night for free ❤️
jonas> I get mussels then. and batteries for the torch`,
  );
  s.chat(
    "bande",
    "2026-07-22 19:48",
    `
ada> Grüße aus Morvanec! Mila hat heute 31 Krabben gefangen (und 31 wieder freigelassen) 🦀
odile> Mes trésors ! Et la mer, elle est bonne ? ::🌊 felix
ada> 17 degrés. Jonas est resté au bord « pour surveiller les serviettes »
heinz> In meinem Alter hätte ich das auch gesagt. Jonas ist aber erst 41.
felix> Did you find the dinghy ::😂 ada ::😂 jonas`,
  );
  s.talk(
    "2026-03-01 21:03",
    "Two weeks on Île de Morvanec with a nine-year-old",
    ["travel", "family"],
    [
      "We're spending 18 July to 1 August on a small Atlantic island (Île de Morvanec) in a house near the beach: two adults and our daughter who turns 9. We come by train and ferry, no car, one of us is recovering... no, let's assume everybody can walk. Please draft a loose day-by-day plan: not more than one thing a day, with rainy-day alternatives, and mark market days (Wed and Sat).",
      itinerary(),
      "Lovely. What if the ferry on the last day doesn't run? Can you think through the risk?",
      `The last crossing is the only part of the plan with no slack in it, so it deserves a minute of thought.

- **How likely?** Summer storms that stop a ferry are rare, but not exotic: plan for one day in thirty.
- **What breaks?** Only the train on 1 August. Seats on RB-48Q2Z1 are reserved for that day; ask Railbird whether a written cancellation from the ferry line counts as a missed connection. Usually it does, and then the ticket is valid on the next day without a seat.
- **Where do you sleep?** In the same house, most likely: the next guests cannot arrive either. Ask Maëlle the moment it is announced.
- **What does it cost?** The ferry line owes you the unused half of the return fare when it cancels. Keep the e-mail.
- **Prepare:** two days of food in the house on the last Thursday, medicine for three extra days, a charged power bank, and Sunday 2 August kept free of appointments.

If you would rather not think about it at all, cross back on Friday 31 July and spend the last night at the port. That trades a sure loss (one night on the island, about 120 €) for an unlikely one.`,
    ],
  );
  s.note({
    at: "2026-03-02 20:20",
    updated: "2026-07-17 22:40",
    title: "Morvanec packing list",
    notebook: "Travel",
    tags: ["holiday", "morvanec"],
    body: "Booking GOE-77213 · train RB-48Q2Z1 · ferry LDL-30951. House total 1680 € (504 + 1176). One big bag each, Mila carries her own rucksack and the octopus.",
    checklist: [
      "water shoes",
      "crab net",
      "sun cream",
      "head torches",
      "Mila's inhaler (blue)",
      "French card game",
      "printed booking",
      "coffee for Maëlle",
      "second charger",
    ].map((text, index) => ({ text, done: index !== 8 })),
  });
  s.note({
    at: "2026-08-04 21:15",
    updated: "2026-09-21 19:30",
    title: "Morvanec, what we want to remember",
    notebook: "Travel",
    tags: ["holiday", "morvanec", "diary"],
    body: `- 31 crabs in one afternoon, the record until the end.
- The lighthouse keeper's granddaughter taught Mila to whistle on a limpet shell.
- Storm on 31 July: we sat in the dark with the torch under the table and Jonas read aloud, with voices.
- « Le petit goéland » who stole the whole kouign from the plate. « Voleur ! » is now a family word.
- Extra night was a gift. Send Maëlle the olive-wood bowl Jonas made. (sent on 21.09.)
- Spent, without food: house 1680.00, train 318.60, ferry 142.00 − 71.00.`,
    files: [
      {
        filename: "morvanec-evening.png",
        mimeType: "image/png",
        caption: "Evening over the bay, 24 July",
        bytes: () => coast("evening", "dusk"),
      },
      {
        filename: "morvanec-beach.png",
        mimeType: "image/png",
        caption: "The beach below the house",
        bytes: () => coast("beach", "day"),
      },
      {
        filename: "morvanec-storm.png",
        mimeType: "image/png",
        caption: "31 July, an hour before the storm",
        bytes: () => coast("storm", "storm"),
      },
    ],
  });
}
