import type { Script } from "../script.ts";

export function wedding(s: Script): void {
  s.chat(
    "samir",
    "2026-05-30 19:20",
    `
samir> آدا! عندي خبر حلو جداً 💍
samir> Rania said yes. السبت ٥ سبتمبر، في فيلا سيروزه على البحيرة
ada> ألف مبروك!!! (did I write that right?)
samir> Perfectly. You, Jonas and Mila are invited, obviously. Mila throws the petals, if she agrees
ada> she agreed before I finished the sentence 🌸
samir> الله يخليها ❤️`,
  );
  s.mail({
    box: "private",
    at: "2026-06-14 12:00",
    from: "samir",
    subject: "دعوة زفاف / Wedding invitation: Rania & Samir, 5 September 2026",
    labels: ["family"],
    body: `أعزائي آدا ويوناس وميلا،

يسعدنا أن ندعوكم لمشاركتنا فرحة زفافنا يوم السبت ٥ سبتمبر ٢٠٢٦ في فيلا سيروزه على بحيرة المرآة. يبدأ الحفل في الساعة الرابعة عصراً، والعشاء في السابعة مساءً.

Dear Ada, Jonas and Mila,

please celebrate our wedding with us on Saturday, 5 September 2026, at Villa Seerose on the Spiegelsee. Ceremony at 16:00, dinner at 19:00, dancing until the swans complain. Dress: colourful. Please answer by 15 July.

No presents, except if you insist: we are saving for the night train to the sea.`,
  });
  const pool = s.mail({
    box: "private",
    at: "2026-08-03 20:11",
    from: "ada",
    to: ["tomasz", "greta", "Northlight friends <friends@example.org>"],
    subject: "Present for Samir and Rania",
    body: `Dear all,

I collect for Samir and Rania: two tickets for the night train to the sea, with breakfast. Transfer what you like until 20 August. I bring the envelope on the 5th.

Ada`,
  });
  s.reply(pool, "2026-08-04 07:50", "tomasz", "In with 40. And tell him the tariff engine still compiles.");
  s.reply(
    pool,
    "2026-08-05 18:33",
    "greta",
    "50 from me. Please hug them both. I'm still not over losing you and now he wants three weeks of honeymoon.",
  );
  s.reply(
    pool,
    "2026-08-21 21:14",
    "ada",
    `Dear all, the pot is closed: 185 € (Greta 50, Tomasz 40, Ilse 25, the Brambleby family 70). I bought the voucher today, order RB-77W3X0.

Ada`,
  );
  s.order({
    id: "RB-77W3X0",
    shop: "Railbird",
    at: "2026-08-21 20:58",
    items: [
      ["Gift voucher night train, two berths with breakfast", "gifts", 1, 18500, { recipients: ["Rania", "Samir"] }],
    ],
    status: "completed",
    delivered: null,
  });
  s.order({
    id: "MK-8812",
    shop: "Mokka & Tüll",
    at: "2026-08-10 13:44",
    items: [
      ["Dress, girl, yellow, size 140", "clothing", 1, 4495, { size: 140, colour: "yellow" }],
      ["Petal basket, willow", "gifts", 1, 1290],
    ],
    shipping: 0,
  });
  s.event({
    title: "💍 Rania & Samir",
    start: "2026-09-05 16:00",
    length: 480,
    location: "Villa Seerose, Spiegelsee",
    guests: ["jonas", "mila"],
    organizer: "Samir Al-Warraqi",
    description: "Ceremony 16:00, dinner 19:00. Mila: petals. Envelope (185 €) is in my blue bag!",
    made: "2026-06-14 12:30",
  });
  s.chat(
    "samir",
    "2026-09-07 10:05",
    `
samir> شكراً من القلب على كل شيء. التذكرة أبكت رانيا 😭
samir> And Mila with the petals... she threw them like she was feeding chickens. We have it on video
ada> she says that's how you do it "effizient" ::😂 samir
samir> تسلم إيدها`,
  );
  s.talk(
    "2026-09-01 22:01",
    "Arabic wedding toast, short",
    ["language", "arabic"],
    [
      "I want to say two sentences in Arabic at my friend Samir's wedding. I can read the script slowly but my pronunciation is poor. Please give me something simple and warm, with vowel marks and a transcription, and tell me when to say مبروك.",
      `مَبْرُوكٌ لَكُمَا! Here is something short that is hard to get wrong.

**The toast, with vowel marks**

> يَا رَانْيَا وَيَا سَمِير، أَلْفُ مَبْرُوك!
> جَعَلَ اللهُ أَيَّامَكُمَا كُلَّهَا فَرَحًا، وَبَيْتَكُمَا عَامِرًا بِالضَّحِك.

**Transcription**

*Yā Rāniyā wa-yā Samīr, alf mabrūk! Jaʿala llāhu ayyāmakumā kullahā faraḥan, wa-baytakumā ʿāmiran biḍ-ḍaḥik.*

**Meaning**

"Rania and Samir, a thousand congratulations! May all your days be joy, and may your house be full of laughter."

**How to say it**

1. *alf mabrūk* is one breath; the stress is on *-brūk*.
2. The ع in *ʿāmiran* is the only hard sound. If it does not come, a plain long *ā* will be forgiven at once.
3. *-kumā* is the dual: it speaks to exactly two people. Native speakers notice it with delight, because few learners dare to use it.
4. Pause after the first sentence. There will be noise.

**When to say مبروك.** From the moment they are announced, to anyone in the family, as often as you like. The answer you will hear is *الله يبارك فيكِ* (allāh ybārik fīki, to a woman). You may then simply smile.

**If the sentence leaves you**, say only: *فَرْحَتُكُم فَرْحَتُنَا* (farḥatukum farḥatunā), "your joy is our joy". Four seconds, and nobody has a dry eye.

A note for the card: Arabic runs from right to left, and a number or a Latin name inside it runs the other way. If you write «٥ سبتمبر ٢٠٢٦» use the Eastern digits as Samir did in the invitation; it looks at home there.`,
    ],
  );
  s.note({
    at: "2026-06-15 08:20",
    updated: "2026-09-06 15:00",
    title: "Wedding Rania & Samir",
    notebook: "Family",
    tags: ["wedding", "samir"],
    body: "5.9.2026, 16:00, Villa Seerose. Present: night train voucher RB-77W3X0, 185 € (Greta 50, Tomasz 40, Ilse 25, us 70). Dress MK-8812.\n\nToast: يا رانيا ويا سمير، ألف مبروك! Practised it 40 times in the shower. Worked.",
  });
}
