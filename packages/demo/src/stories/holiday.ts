import { coast } from "../pictures.ts";
import type { Script } from "../script.ts";
import { itinerary } from "./holiday-answers.ts";
import { holidayBookings } from "./holiday-bookings.ts";

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
  holidayBookings(s);
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
