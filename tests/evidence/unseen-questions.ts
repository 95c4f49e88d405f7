import type { demoQuestions } from "./demo-questions.ts";

/**
 * More everyday questions about the demo household, in the form of `demoQuestions`, written before ranking was tuned.
 * Odd ones were used for tuning; even ones were only counted at the end.
 */
export const unseenQuestions: typeof demoQuestions = [
  [
    "Which plant do I need for Pad Krapao, and who gave me a cutting?",
    ["Ploy's cutting", "I give you a cutting"],
    "cin_notes_ada/notes:nt_6b220a474183",
  ],
  [
    "Where did we look at Jupiter for the first time?",
    ["Hohe Düne car park"],
    'cin_calendar_home/events:["ev_fd7f9c4e691a","2026-01-03T18:30:00Z"]',
  ],
  ["Wo hatte Jonas das Teleskop versteckt?", ["behind the planks"], "cin_chat_ada/messages:cm_8e3fc0741f27"],
  ["Was müssen wir zum Vorspiel mitbringen?", ["Hausschuhe", "Slippers"], "cin_mail_ada/messages:ml_48947acc48cd"],
  ["How much did the digital piano cost?", ["420"], "cin_mail_ada/messages:ml_4394dda78f56"],
  ["How cold was the sea on Morvanec?", ["17 degrés"], "cin_chat_ada/messages:cm_5f7387b468aa"],
  [
    "When do I have to pay the rest for the holiday house?",
    ["20 june", "20 juin", "2026-06-20"],
    'cin_calendar_home/events:["ev_512a331df215","2026-06-20T00:00:00Z"]',
  ],
  [
    "Until when could we have cancelled the house on Morvanec for free?",
    ["18 mai"],
    "cin_mail_ada/messages:ml_be3470e946b6",
  ],
  [
    "Wie spät fährt der Zug nach Port-Kerlaouen?",
    ["06:52", "04:52"],
    'cin_calendar_home/events:["ev_eeaaf6ef6124","2026-07-18T04:52:00Z"]',
  ],
  [
    "What was stolen together with the bike?",
    ["rain cover and my good clamps"],
    "cin_chat_ada/messages:cm_64a87cf3205f",
  ],
  ["frame number of the new cargo bike", ["LX-93-11806"], "cin_notes_ada/notes:nt_26331d5947cb"],
  [
    "Where do we pick up the new cargo bike?",
    ["Deichtor 8"],
    'cin_calendar_home/events:["ev_286d739f293b","2026-07-04T08:00:00Z"]',
  ],
  [
    "Wie hoch war der Selbstbehalt der Fahrradversicherung?",
    ["Selbstbehalt 150", "2,600 − 150", "2600 minus 150"],
    "cin_mail_ada/messages:ml_ed3d0c5e9e6c",
  ],
  ["Wer ist Elternvertreter in der 3b?", ["Deniz und Yara"], "cin_notes_ada/notes:nt_bba3935df3dd"],
  ["How much do we pay into the class fund?", ["Klassenkasse 15"], "cin_notes_ada/notes:nt_bba3935df3dd"],
  [
    "Wann ist Milas Referat über Wildbienen?",
    ["21. April", "2026-04-21"],
    'cin_calendar_home/events:["ev_3502e509b8e1","2026-04-21T07:00:00Z"]',
  ],
  [
    "What medicine does Mila take for hay fever?",
    ["halbe Tablette", "blauen Inhalator"],
    "cin_mail_ada/messages:ml_515c3120042e",
  ],
  ["Which roofer made the most expensive offer?", ["91.250", "91,250"], "cin_mail_ada/messages:ml_e8f5a8fdc2b1"],
  [
    "When did the scaffold come down?",
    ["Scaffold came down on 6 October", "scaffold … 6 October", "24.08.–06.10"],
    'cin_calendar_home/events:["ev_688725518c60","2026-08-24T00:00:00Z"]',
  ],
  [
    "Why did Herr Yıldıray vote against the levy?",
    ["payment in two halves"],
    "cin_assistant_ada/messages:ac_381df6488f06_2",
  ],
  [
    "How many square metres of slate did they take off?",
    ["412 square metres"],
    "cin_mail_ada/messages:ml_9330b554f3f6",
  ],
  ["our tax number", ["42/815/00423"], "cin_mail_ada/messages:ml_0b806650aba6"],
  ["How much did we donate to the sea rescue in 2025?", ["Seenotretter 120"], "cin_notes_ada/notes:nt_caa6bcc12449"],
  [
    "Wie viele Tage bin ich 2025 ins Büro gependelt?",
    ["days: 138", "138 is plausible", "days 138"],
    "cin_notes_ada/notes:nt_caa6bcc12449",
  ],
  ["What did we pay ourselves for the cat's operation in the end?", ["62.49"], "cin_notes_ada/notes:nt_b6edfa386b64"],
  ["What should Biscuit not do after the surgery?", ["nicht springen"], "cin_mail_ada/messages:ml_0496e68fd51f"],
  ["Where is the laptop password at Tidewater?", ["yellow card"], "cin_mail_work/messages:ml_83ff35db713c"],
  ["Who is my buddy at the new job?", ["Wanjiru is your buddy"], "cin_mail_work/messages:ml_83ff35db713c"],
  ["Bis wann müssen wir Samir und Rania zusagen?", ["15 July"], "cin_mail_ada/messages:ml_dc5a368fb630"],
  [
    "What does Mila do at the wedding?",
    ["Mila: petals", "throws the petals"],
    'cin_calendar_home/events:["ev_b71c0fa41194","2026-09-05T14:00:00Z"]',
  ],
  [
    "How much did Greta give for the wedding present?",
    ["Greta 50", "50 from me"],
    "cin_mail_ada/messages:ml_8c4b9757fc7a",
  ],
  ["What size is Mila's yellow dress?", ["size 140"], "cin_mail_ada/messages:ml_f9b32895d5a3"],
  [
    "When does Haruka fly home?",
    ["HZ 219 … 12:05", "17.10", "2026-10-17"],
    'cin_calendar_home/events:["ev_272996c61e00","2026-10-17T10:05:00Z"]',
  ],
  ["What did Haruka make in Jonas's workshop?", ["箸", "two pairs"], "cin_notes_ada/notes:nt_cbc747a89191"],
  [
    "Why did the book club's August novel work best twice?",
    ["Told from the end"],
    "cin_notes_ada/notes:nt_8ea7b6812c00",
  ],
  ["Who was the murderer in Nebelhorn?", ["It was the cook"], "cin_notes_ada/notes:nt_89196026d927"],
  [
    "Hat Herr Dornbusch beim Buchclub mitgemacht?",
    ["stayed for wine", "wants to join"],
    "cin_notes_ada/notes:nt_e4bdcc1af12d",
  ],
  ["How much was the dinner per person at the Auberge?", ["46 €"], "cin_mail_ada/messages:ml_821f5c91ea84"],
  ["What did Mila sing for grandma?", ["À la claire marée"], "cin_notes_ada/notes:nt_978e0cdfda30"],
  ["When was my first jog after the injury?", ["2026-04-14"], "cin_notes_ada/notes:nt_557234bbd61b"],
  ["What time do the physio appointments start?", ["8:00", "08:00"], "cin_mail_ada/messages:ml_3fe487a1a4a1"],
  [
    "Which days is the market on the island?",
    ["mercredi et le samedi", "Wed and Sat"],
    "cin_mail_ada/messages:ml_11570df3460c",
  ],
  ["What did we buy against lice?", ["Lice comb", "Lice treatment"], "cin_purchases_ada/orders:AP-19844"],
  ["Who broke something at the launch of the tide API?", ["One rollback (Ben"], "cin_notes_ada/notes:nt_99ac4e5b6a7a"],
  ["Wer hat die Passwörter für Heron?", ["Passwords: with Ilse"], "cin_notes_ada/notes:nt_e1787a422640"],
  [
    "How long does Heinz's Grünkohl have to cook?",
    ["Zwei Stunden, besser drei"],
    "cin_notes_ada/notes:nt_1ae4f65dc61b",
  ],
  ["What did Jonas get for Christmas?", ["Jonas: the Japanese saw"], "cin_notes_ada/notes:nt_b9df6def5236"],
  ["Welche Zahlung bekommen die Stadtwerke jeden Monat?", ["164,00"], "cin_mail_ada/messages:ml_baed6479a37c"],
];
