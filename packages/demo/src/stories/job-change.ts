import type { Script } from "../script.ts";

const negotiation = `Congratulations. An offer that is "almost right" is the most comfortable position to negotiate from, because you can honestly say yes and mean it.

## Where you stand

| | Northlight today | Tidewater offer | what you would like |
|---|---|---|---|
| salary | 71,200 € | 74,000 € | 78,000 € or more |
| leave | 28 days | 28 days | 30 days |
| office days | 3 a week | 2 a week | 2 a week |
| commute | 35 min | 15 min by bike | – |
| notice period | 2 months to month end | 3 months | – |

The jump of 2,800 € is about four percent. That pays for a year of raises you would have got anyway; it does not pay for the risk of a probation period. So there is a reason to ask, and it is not greed.

## What to ask for, and in which order

1. **Salary first, with one number.** Not a range: people hear the lower end. If 78,000 is what makes you say yes without looking back, ask for 80,000 and give one sentence of reason: you bring the tariff domain *and* the migration experience they named as their hardest problem in the second interview.
2. **Leave second.** Two days cost them little, and they are a good place to let them win the last move: "If 80 is hard, 78.5 with thirty days would let me sign today."
3. **Start date last, as a gift.** They would like you in April. You cannot leave before the end of April without bad blood. Offer 4 May and say that you will read their documentation before. That costs you nothing.

## How to say it

> Noor, thank you. I want to work with you and the team, and I would like to sign this week. One thing stands between us: the salary. With what I know about tariff data and about moving a running system without stopping it, I had 80,000 in mind. Can we find a way?

Then stop talking. The silence is part of the sentence.

## What not to do

- Do not invent another offer. You have something better: a job you can keep.
- Do not apologise. No "just", no "maybe", no "I know this is a lot".
- Do not negotiate by chat. Call, then confirm in writing on the same day.
- Do not resign before the signed contract is in your hands. A friendly e-mail is not a contract.

## If they say no

Ask what would have to be true in six months for the number to be possible, and have that sentence put into the letter. If they will not write it down, you have learned something cheap about how promises work there.

## One question for you

You wrote "almost right" and then listed only money. Is there something else? If it is Samir and the team you would leave behind, that is not a line in a contract, but it is a real cost and you may weigh it.`;

export function jobChange(s: Script): void {
  const hello = s.mail({
    box: "private",
    at: "2025-11-18 13:20",
    from: "callum",
    subject: "Staff engineer, maps, Lindenhafen – worth a coffee?",
    labels: ["career"],
    body: `Hi Ada,

I know you get these, so briefly: Tidewater Maps (tide, depth and harbour data, about 60 people, ten minutes from the Speicherstadt) is looking for a staff engineer who has moved a large pricing system while it was running. I only know one person who has. Coffee?`,
  });
  s.reply(
    hello,
    "2025-11-20 21:44",
    "ada",
    `Hi Callum,

I'm not looking, but I do like maps. Coffee is fine, next week after Wednesday.

Ada`,
  );
  const invite = s.mail({
    box: "private",
    at: "2026-01-08 10:02",
    from: "noor",
    subject: "First conversation, Tuesday 20 January?",
    labels: ["career"],
    body: `Dear Ada,

Callum says you drink your coffee black and your migrations zero-downtime. I'd enjoy an hour with you. Would Tuesday, 20 January, 17:30 work? We're at Kontorhaus Süd, third floor, the door with the barnacles.`,
  });
  s.reply(
    invite,
    "2026-01-08 20:31",
    "ada",
    `Dear Noor,

Tuesday at 17:30 works well. I'll look for the barnacles.

Best,
Ada`,
  );
  s.mail({
    box: "private",
    at: "2026-02-05 16:48",
    from: "noor",
    subject: "Second round: the team",
    labels: ["career"],
    body: `Dear Ada,

thank you for the take-home note on the tide-table versioning problem; Wanjiru printed it out, which she never does. Can you come in on Thursday, 12 February, 16:00–18:30, to meet her and Ben? We would sketch a migration together on the large whiteboard.`,
  });
  const offer = s.mail({
    box: "private",
    at: "2026-02-19 11:15",
    from: "noor",
    subject: "Our offer",
    labels: ["career", "important"],
    files: [{ filename: "offer-letter-brambleby.pdf", mime_type: "application/pdf", size_bytes: 88214 }],
    body: `Dear Ada,

we'd love to have you. The offer in short:

- Staff Engineer, Tidal Data, permanent
- 74,000 € a year
- 28 days of leave, two office days a week
- start on 1 April 2026, or as soon as you can

The letter is attached. Tell me what you think, and tell me honestly.`,
  });
  const counter = s.reply(
    offer,
    "2026-02-20 17:55",
    "ada",
    `Dear Noor,

thank you for the good talk just now. As I said: I want to do this. To confirm what we discussed, I had 80,000 € in mind; with 78,500 € and thirty days of leave I would sign right away. My notice period lets me start on Monday, 4 May.

Best,
Ada`,
  );
  s.reply(
    counter,
    "2026-02-24 09:30",
    "noor",
    `Dear Ada,

done: 78,500 €, thirty days, 4 May. New letter by courier today. I'm very happy.`,
  );
  s.talk(
    "2026-02-19 21:26",
    "Negotiating the Tidewater offer",
    ["work", "career"],
    [
      "I have an offer: 74k, 28 days leave, 2 office days, start in April. I earn 71.2k now with 28 days. I'd say yes to 78k. They said the migration experience is why they want me. It's almost right. How would you negotiate, concretely? My notice period is two months to the end of a month.",
      negotiation,
      "Honestly? Samir. We built the tariff engine together from nothing.",
      `That deserves to be said out loud, and to him before it reaches the office. You are not leaving a person, you are leaving a payroll; dinners survive resignations. Tell him in person, tell him first, and don't wrap it in relief or guilt. And ask him whether he wants to hear about it when they hire again.`,
    ],
  );
  s.note({
    at: "2026-02-15 22:05",
    updated: "2026-02-24 20:10",
    title: "Tidewater: for and against",
    notebook: "Work",
    tags: ["career", "tidewater"],
    body: `**For**
- maps! tides! things that are true whether or not sales likes them
- 15 minutes by bike, home when Mila is home
- Noor asks questions and then waits for the answer
- staff role, no on-call in the first six months

**Against**
- Samir, Tomasz, nine years of knowing where everything is
- probation: six months (until 3 November)
- smaller, so more depends on fewer people

**Decision (24.02.)** Signed: 78,500 €, 30 days, start Mon 4 May 2026. First offer was 74,000.`,
  });
  s.chat(
    "home",
    "2026-02-24 09:41",
    `
ada> she said yes to 78.5 and thirty days
jonas> !!!! ::🎉 ada
jonas> sekt or the good cider?
ada> cider. and don't tell Mila yet, she'll tell the whole school`,
  );
  const resign = s.mail({
    box: "work",
    at: "2026-02-27 09:05",
    from: "ada",
    to: ["greta"],
    cc: ["ilse"],
    subject: "My notice",
    body: `Dear Greta,

as I told you yesterday, I am giving notice; my last day at Northlight will be Thursday, 30 April 2026. The signed letter is with Ilse. I'd like to hand over project Heron properly and have put a first plan into the wiki.

Thank you for nine good years. I mean that.`,
  });
  s.reply(
    resign,
    "2026-02-27 14:22",
    "greta",
    `Ada,

I read it twice and it still says the same thing. I'm sad, I'm glad for you, in that order. Let's use the nine weeks well: Tomasz takes the tariff tables, Samir takes the rules engine. You have 11 days of leave left; take them when you like, but be here for the cake.`,
  );
  s.mail({
    box: "work",
    at: "2026-04-28 10:00",
    from: "greta",
    to: ["Tariffs <tariffs@northlight.example.com>"],
    subject: "Cake for Ada, Thursday 15:00, kitchen",
    body: `Dear all,

Ada leaves us on Thursday. There will be cake (lemon, she was asked), a card (sign it!), and Samir will try to give a speech. Presence is not compulsory but I will notice.`,
  });
  s.mail({
    box: "work",
    at: "2026-04-30 16:48",
    from: "ada",
    to: ["Tariffs <tariffs@northlight.example.com>"],
    subject: "So long, and thanks for all the tariffs",
    body: `Dear all,

my badge stops working in twelve minutes. Heron is documented, the runbook has pictures, and the plant on my desk belongs to Tomasz now (water on Fridays, never on deploy days).

You can reach me at ada.brambleby@example.org. Come and see the tide gauge.`,
  });
  s.mail({
    box: "work",
    at: "2026-05-04 08:30",
    from: "noor",
    subject: "Welcome aboard",
    body: `Good morning Ada,

your desk is the one by the window that rattles. Wanjiru is your buddy for the first month, laptop password is on the yellow card (burn it), stand-up is at 9:45 and lunch is whatever Ben found. No heroics this week. Read, ask, break something small.`,
  });
  s.mail({
    box: "private",
    at: "2026-03-02 11:30",
    from: "callum",
    subject: "Chuffed",
    labels: ["career"],
    body: `Ada, Noor rang me and sang. Congratulations! I owe you a better coffee.`,
  });
  s.event({
    title: "Coffee with Callum",
    calendar: "ada",
    start: "2025-11-27 16:30",
    location: "Café Bollwerk",
    guests: [],
  });
  s.event({
    title: "Tidewater: first conversation (Noor)",
    calendar: "ada",
    start: "2026-01-20 17:30",
    location: "Kontorhaus Süd, 3rd floor",
    made: "2026-01-08 20:33",
  });
  s.event({
    title: "Tidewater: meet the team",
    calendar: "ada",
    start: "2026-02-12 16:00",
    length: 150,
    location: "Kontorhaus Süd, 3rd floor",
    description: "Wanjiru and Ben. Whiteboard.",
    made: "2026-02-05 17:30",
  });
  s.event({
    title: "Last day at Northlight 🎂",
    calendar: "work",
    start: "2026-04-30 15:00",
    length: 120,
    location: "Kitchen, 2nd floor",
    organizer: "Greta Holmvane",
    guests: ["samirWork", "tomasz", "ilse:tentative"],
    made: "2026-04-20 10:00",
  });
  s.event({
    title: "First day at Tidewater",
    calendar: "work",
    start: "2026-05-04 08:30",
    length: 480,
    location: "Kontorhaus Süd",
    made: "2026-02-24 10:00",
  });
  s.event({
    title: "End of probation",
    calendar: "ada",
    start: "2026-10-30 17:00",
    length: 60,
    location: "Noor's office",
    description: "Formally 3 November; Noor wants to do it before half term. Good news, she says.",
    made: "2026-10-19 09:12",
  });
  s.chat(
    "samir",
    "2026-02-25 18:12",
    `
ada> are you home? I'd like to come by with cake and tell you something
samir> أهلاً! of course. the cake worries me. is it a "sorry" cake
ada> it's a lemon cake. 19:30?
samir> تفضلي دائماً. Kettle is on
@22:40
samir> I'm happy for you. truly. مبروك يا آدا 🌷 and also I will be unbearable in stand-up tomorrow
ada> you're always unbearable in stand-up ::😂 samir`,
  );
}
