import { page } from "../pictures.ts";
import type { Script } from "../script.ts";

export function grandmother(s: Script): void {
  s.chat(
    "felix",
    "2026-01-25 19:03",
    `
ada> maman turns 70 on 11 april. we have to do something that is not a vase
felix> what's wrong with the vases
ada> she has four. all from you
felix> a photo book? seventy photos, one for each year
ada> YES. you scan the old ones, I do the layout. deadline 15 march
felix> and dinner at the Auberge du Phare, I book. 14 people?
ada> 14 with the cousins. secret!! not a word in the Bande chat`,
  );
  s.chat(
    "felix",
    "2026-03-24 20:47",
    `
ada> photo book came. page 23 says 1978 and shows me in a dress from 1992
felix> so it's a time machine
ada> they reprint it for free, comes before easter they promise`,
  );
  s.order({
    id: "BB-90417",
    shop: "Bilderbund",
    at: "2026-03-14 22:31",
    items: [["Photo book 30 x 30 cm, 72 pages, linen", "gifts", 1, 5990, { title: "Odile, 70 printemps", pages: 72 }]],
    shipping: 490,
    delivered: "2026-03-24 12:10",
    note: "Page 23 misprinted; free reprint BB-90417-N delivered on 2026-04-02.",
  });
  const complaint = s.mail({
    box: "private",
    at: "2026-03-24 21:05",
    from: "ada",
    to: ["Bilderbund Service <service@bilderbund.example.com>"],
    subject: "BB-90417: Fehldruck auf Seite 23",
    body: `Hallo,

im Fotobuch BB-90417 steht auf Seite 23 die Bildunterschrift von Seite 13 ("1978"). In der Vorschau war es richtig, Bildschirmfoto anbei. Ich brauche das Buch spätestens am 9. April. Können Sie neu drucken?

Ada Brambleby`,
  });
  s.reply(
    complaint,
    "2026-03-25 08:44",
    "Bilderbund Service <service@bilderbund.example.com>",
    `Hallo Frau Brambleby,

das tut uns leid, der Fehler liegt bei uns. Der Neudruck (BB-90417-N) ist kostenlos und geht am 31. März auf die Reise. Das alte Exemplar dürfen Sie behalten.

Ihr Bilderbund`,
  );
  s.mail({
    box: "private",
    at: "2026-02-03 18:12",
    from: "Auberge du Phare <reservation@auberge-du-phare.example.net>",
    subject: "Votre réservation du 11 avril, 14 couverts",
    labels: ["family"],
    body: `Bonjour Madame Brambleby,

votre frère nous demande de vous confirmer : samedi 11 avril 2026, 19 h 30, 14 couverts, la salle du fond avec vue sur le port. Menu à 46 € par personne, boissons non comprises. Le gâteau d'anniversaire (framboise et pistache) est offert par la maison. Le chien de Monsieur Marchevent est le bienvenu s'il ne chante pas.

L'équipe de l'Auberge`,
  });
  s.event({
    title: "🎂 Odile 70: dinner, Auberge du Phare (surprise!)",
    start: "2026-04-11 19:30",
    length: 240,
    location: "Auberge du Phare, Saint-Aubrac-les-Vagues",
    guests: ["jonas", "mila", "felix", "odile:needsAction"],
    description: "14 people, menu 46 € each. Bring the book (reprint BB-90417-N).",
    made: "2026-02-03 20:02",
  });
  s.event({
    title: "In France for Maman's birthday",
    start: "2026-04-10",
    length: 4,
    allDay: true,
    location: "Saint-Aubrac-les-Vagues",
    made: "2026-02-04 08:10",
  });
  s.order({
    id: "RB-51H7K9",
    shop: "Railbird",
    at: "2026-02-07 11:15",
    items: [
      [
        "Lindenhafen – Saint-Aubrac and back, adult",
        "travel",
        2,
        9850,
        { outbound: "2026-04-10", inbound: "2026-04-13" },
      ],
      [
        "Lindenhafen – Saint-Aubrac and back, child",
        "travel",
        1,
        4900,
        { outbound: "2026-04-10", inbound: "2026-04-13" },
      ],
    ],
    status: "completed",
    delivered: null,
  });
  s.chat(
    "odile",
    "2026-04-13 20:26",
    `
odile> Ma chérie, j'ai regardé le livre encore deux fois ce soir. La page du marché de 1986, je l'avais oubliée, cette photo. J'ai pleuré un peu, mais du bon côté.
ada> Oh maman. C'est Felix qui l'a trouvée, au fond d'une boîte à chaussures 💛
odile> Et dis à Mila que sa chanson était la plus belle de tout le bord de mer.
ada> Elle rougit. Elle dit qu'elle a oublié la deuxième strophe
odile> La deuxième strophe, personne ne la connaît. C'est pour ça qu'on fredonne.`,
  );
  s.talk(
    "2026-03-28 21:52",
    "Discours pour les 70 ans de maman",
    ["family", "français"],
    [
      "Aide-moi à écrire un petit discours (deux minutes, pas plus) pour les 70 ans de ma mère Odile. Elle était institutrice dans un village au bord de la mer, elle corrige encore l'orthographe des menus, elle a appris à nager à 45 ans, et elle nous a élevés seule, mon frère Felix et moi. Je veux que ce soit drôle et que ça se termine doucement.",
      `Chère maman,

on m'a donné deux minutes. Tu m'as appris qu'une bonne rédaction a une introduction, un développement et une conclusion ; je te préviens, il y aura surtout du développement.

Il y a dans cette salle quatorze personnes, et je crois que tu as corrigé l'orthographe de treize d'entre elles. La quatorzième est le chien de Felix, et lui aussi, tu l'as repris sur son accent. Ce soir, sur le menu, il y avait une faute à « framboise ». Je l'ai vue. Je t'ai vue la voir. Et je t'ai vue ne rien dire, pendant presque quatre minutes. C'est ton cadeau à l'Auberge du Phare, et je sais ce qu'il t'a coûté.

Tu as appris à nager à quarante-cinq ans. Nous, les enfants, on était sur la plage, morts de honte : notre mère, avec des brassards ! Aujourd'hui j'ai presque cet âge, et quand j'ai peur de commencer quelque chose, un travail, une langue, une conversation difficile, je pense à ces deux brassards orange dans les vagues. On peut toujours commencer. On a l'air bête dix minutes, et après, on nage.

Tu nous as élevés toute seule, Felix et moi. Enfin, toute seule : avec la bibliothèque municipale, le poissonnier qui gardait les arêtes pour le chat, et la moitié du village qui te devait son certificat d'études. On n'a jamais manqué de rien, sauf peut-être d'une vraie vase, et Felix s'est occupé de ça.

Alors voilà la conclusion, maman, elle est courte. Tu disais toujours : « Relis-toi avant de rendre ta copie. » On a relu soixante-dix pages de ta vie pour faire ce livre. On n'a rien trouvé à corriger.

Joyeux anniversaire.

---

*Quelques remarques.* À voix calme, cela fait deux minutes et dix secondes ; si vous voulez raccourcir, enlevez le poissonnier. « une vraie vase » est volontairement faux (on dit *un* vase, *une* vase, c'est de la boue) : votre mère le relèvera, et la salle rira. Si vous préférez ne pas prendre ce risque, écrivez « un vrai vase ».`,
    ],
  );
  s.note({
    at: "2026-01-26 21:00",
    updated: "2026-04-13 22:10",
    title: "Maman 70",
    notebook: "Family",
    tags: ["odile", "birthday", "photo book"],
    body: "11.04.2026, 19:30, Auberge du Phare, 14 Personen à 46 €. Train RB-51H7K9 (246.00). Book BB-90417 64.80 €, reprint free. Felix: scans + restaurant. Me: layout + speech. Mila sings « À la claire marée ».\n\nThe fault on the menu (« franboise ») was real!",
    files: [
      {
        filename: "discours.png",
        mimeType: "image/png",
        caption: "Le discours, version à la main",
        bytes: () => page("discours", [40, 50, 120]),
      },
    ],
  });
}
