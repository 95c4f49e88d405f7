/** Tables for the private mailbox: newsletters, notices and letters. */
export const letterSlots = {
  weekday: ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"],
  wochentag: ["Montag", "Dienstag", "Mittwoch", "Donnerstag", "Freitag"],
  vegetable: [
    "kale",
    "leeks",
    "rhubarb",
    "asparagus",
    "courgettes",
    "plums",
    "pumpkins",
    "celeriac",
    "pears",
    "new potatoes",
  ],
  bird: ["curlews", "terns", "a kingfisher", "oystercatchers", "brent geese", "two ospreys"],
  percent: ["10 %", "15 %", "20 %", "a free tin", "free shipping"],
  craft: ["knots", "lino cuts", "bread", "felt", "paper boats", "bees", "tide clocks"],
  film: ["The Ferryman's Radio", "Nachtfahrt", "Seven Umbrellas", "La marée haute", "The Glass Dredger"],
  small: [
    "[my knee is better|my back complains|the new glasses work]",
    "[the garden is under water|the first snowdrops are out|the pears were plenty]",
    "[the choir has a new conductor|the neighbours have a donkey now|the ferry was full of cyclists]",
    "[I've learned to send photos|the radio broke and I repaired it|I found your old swimming badge]",
  ],
  project: [
    "the spare room",
    "the allotment",
    "my Portuguese",
    "the boat",
    "a quilt",
    "the archive of the rowing club",
  ],
  gruss: [
    "die Amseln sind wieder da",
    "der Kirschbaum blüht",
    "im Schuppen wohnt ein Igel",
    "das Meer war heute wie Blei",
    "der Kater vom Nachbarn hat Junge, er ist also keiner",
  ],
  frage: [
    "Was wünscht sich Mila?",
    "Kommt Ihr am Wochenende?",
    "Habt Ihr noch Marmeladengläser?",
    "Soll ich die Leiter mitbringen?",
    "Wie heißt noch mal das Spiel mit den Booten?",
  ],
} as const;

export interface Sender {
  from: string;
  list?: string;
  labels: string[];
  /** Days between two of them. */
  every: number;
  templates: readonly (readonly [subject: string, body: string])[];
}

export const senders: readonly Sender[] = [
  {
    from: "Wochenmarkt am Hafen <post@wochenmarkt.example.org>",
    list: "post.wochenmarkt.example.org",
    labels: ["newsletter"],
    every: 16,
    templates: [
      [
        "This {weekday}: {vegetable} and {vegetable}",
        "Good morning,\n\nthe stalls open at seven. This week there [are|will be] {vegetable} from the marsh and {vegetable} from the other side of the river, and the cheese van is [back|late|opposite the crane]. Recipe of the week: {vegetable} [soup|cake|pickled|from the oven] with [caraway|lemon|brown butter|walnuts].\n\nSee you at the fountain",
      ],
      [
        "Market news: {vegetable}, {percent} off what is left at noon",
        "Dear friends of the market,\n\n[the frost was kind to the {vegetable}|the rain wasn't kind to the {vegetable}|nobody knows why, but the {vegetable} are early]. After noon you get {percent} off. Bring [boxes|bags|a cart] of your own.",
      ],
    ],
  },
  {
    from: "Vogelwacht Nord <brief@vogelwacht.example.org>",
    list: "brief.vogelwacht.example.org",
    labels: ["newsletter"],
    every: 28,
    templates: [
      [
        "Seen in the marsh: {bird} and {bird}",
        "Dear members,\n\nthis month our volunteers counted {bird} at the lock and {bird} near the dunes. The path on the dyke is [closed|muddy|open again], please [keep dogs on a lead|stay on the boards|walk slowly]. Next count: {weekday} at [five|six|half past six] in the morning; tea is provided, sleep is not.",
      ],
    ],
  },
  {
    from: "Stadtbücherei Lindenhafen <ausleihe@buecherei.example.org>",
    labels: ["library"],
    every: 26,
    templates: [
      [
        "Erinnerung: Rückgabe am {wochentag}",
        "Guten Tag Ada Brambleby,\n\nfolgende Medien sind bald fällig: „[Das Boot aus Papier|Die Spur der Krabbe|Vulkane für Eilige|Klavier im Nebel|Wie Bienen wohnen]“ und „[Schach ohne Tränen|Der lange Winter der Dohlen|Französisch für Heimliche|Kuchen vom Blech]“. Verlängern Sie online oder kommen Sie vorbei; wir haben jetzt auch [Teleskope|Nähmaschinen|Wanderkarten|Brettspiele] zum Ausleihen.",
      ],
    ],
  },
  {
    from: "Stadtwerke Lindenhafen <kundenpost@stadtwerke.example.com>",
    labels: ["bills"],
    every: 61,
    templates: [
      [
        "Ihr Abschlag für Strom und Gas",
        "Guten Tag Frau Brambleby,\n\nam [1.|2.|3.] buchen wir Ihren Abschlag von 164,00 € ab (Strom 61,00 €, Gas 103,00 €). Zählerstand melden? Ein Foto genügt. Tipp: [Thermostat auf drei|Deckel auf den Topf|kurz und kräftig lüften] spart am meisten.",
      ],
    ],
  },
  {
    from: "Kino Bollwerk <programm@kino-bollwerk.example.com>",
    list: "programm.kino-bollwerk.example.com",
    labels: ["newsletter"],
    every: 24,
    templates: [
      [
        "{film}, and on {weekday} with guests",
        "On the large screen: “{film}” ([French|Japanese|Danish|Portuguese] with subtitles), daily at [18:00|20:15]. For children: [{film}, the short one|drawing on film strips|the one with the seal]. {weekday} is [cinema day|parents' matinee|the night of the organ].",
      ],
    ],
  },
  {
    from: "Werkstatt Offen <kurse@werkstatt-offen.example.org>",
    list: "kurse.werkstatt-offen.example.org",
    labels: ["newsletter"],
    every: 33,
    templates: [
      [
        "Course with free places: {craft}",
        "Hello,\n\nthere are [two|three|a few] places left in “{craft} for [beginners|families|people with little patience]” on {weekday} evening. We bring the material, you bring [an apron|old clothes|a friend]. Members get {percent}.",
      ],
    ],
  },
  {
    from: "heinz",
    labels: ["family"],
    every: 25,
    templates: [
      [
        "Gruß aus Norderwiek: {gruss}",
        "Meine Lieben,\n\n{gruss}, und {gruss}. Sonst nichts Neues, was in meinem Alter das Beste ist. {frage} Ich habe [den Kalender aufgehängt|die Reifen gewechselt|das Radio repariert|Pflaumen eingekocht] und bin zufrieden.",
      ],
      [
        "{frage}",
        "Liebe Ada, lieber Jonas,\n\n{frage} Ich frage, weil ich [am Donnerstag in die Stadt fahre|gerade aufräume|es sonst vergesse]. Hier draußen: {gruss}. Grüßt mir das Kind, und sagt ihr, dass [die Boote bereitliegen|das Fernglas auf sie wartet|ich Schach geübt habe].",
      ],
    ],
  },
  {
    from: "odile",
    labels: ["family"],
    every: 34,
    templates: [
      [
        "Des nouvelles de Saint-Aubrac",
        "Ma chère Ada,\n\n[il a plu toute la semaine|le soleil est revenu|la mer a pris un bout du sentier], et je range [les photos|la cave|mes cahiers d'école]. J'y ai trouvé [ton bulletin de CM1|une lettre de ta tante|une coquille que tu avais peinte]. [Yvonne|Le facteur|La boulangère] demande de vos nouvelles à chaque fois ; je dis que vous allez bien, j'espère que c'est vrai. Écris-moi comment va [Mila|le travail|Jonas].",
      ],
    ],
  },
  {
    from: "nell",
    labels: ["friends"],
    every: 38,
    templates: [
      [
        "a long one, sorry",
        "Dear A,\n\nI owe you a letter. {small}, {small}, and I've started with {project}, which will end like the last {project} did. [Work is work|They made me head of something|I said no to a promotion and slept well]. Come on {weekday}, bring nobody, or everybody.",
      ],
      [
        "about {weekday}",
        "Ada love,\n\n{weekday} is fine. {small} by the way. I have to tell you about {project}, but not in writing.",
      ],
    ],
  },
  {
    from: "Hafenbank <service@hafenbank.example.com>",
    labels: ["bank"],
    every: 30,
    templates: [
      [
        "Ihr Kontoauszug liegt bereit",
        "Guten Tag Ada Brambleby,\n\nIhr Kontoauszug liegt im Postfach bereit. [Bitte prüfen Sie die Buchungen innerhalb von sechs Wochen.|Neu: Sie können Auszüge jetzt nach Beträgen durchsuchen.|Wir fragen Sie nie per E-Mail nach Ihrer PIN.]\n\nIhre Hafenbank",
      ],
    ],
  },
];

/** How Ada answers people, and how the talk may go on. */
export const answers: Readonly<Record<string, readonly string[]>> = {
  heinz: [
    "Lieber Heinz,\n\ndanke für die Post! Mila [malt Dir gerade etwas|hat Deine Karte übers Bett gehängt|will wissen, ob der Igel einen Namen hat]. Wir kommen [am übernächsten Sonntag|bald|zu Ostern oder davor] und bringen [Kuchen|Zeit|die Säge zurück] mit.\n\nDeine Ada",
  ],
  odile: [
    "Chère maman,\n\n[merci pour ta lettre|ta lettre m'a fait rire|garde bien cette photo]. Ici, {small}... non, en français : [tout va bien|on court un peu trop|Mila grandit d'un centimètre par semaine]. Je t'appelle [dimanche|demain soir|quand Mila dort].\n\nJe t'embrasse, Ada",
  ],
  nell: [
    "Nell!\n\n[Finally|Never apologise for long ones|I read it twice, once aloud]. {weekday} then. I bring [cake|the book|news]. And you must explain {project} to me, with drawings.\n\nA",
    "Yes to {weekday}. [Jonas sends wood for {project}|Mila asks if you still have the boat|I have so much to tell you].\n\nA",
  ],
};
