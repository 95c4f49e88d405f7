import type { Script } from "../script.ts";

/** The mails and payments around the house, the train and the ferry. */
export function holidayBookings(s: Script): void {
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
}
