import type { Script } from "../script.ts";

/** A letter that is too long for one look: what one wants to know in January stands in the middle of it. */
export function roofReport(s: Script): void {
  const report = s.mail({
    box: "private",
    at: "2026-10-08 16:35",
    from: "Callum Reid-Hansen <reid-hansen@dachwerk-moewe.example.com>",
    to: ["Hausverwaltung Anker <verwaltung@hv-anker.example.com>"],
    cc: ["ada", "dornbusch", "yara", "ploy"],
    subject: "Lindenufer 14: the roof is done. Report, and how to live under it",
    labels: ["house", "important"],
    files: [{ filename: "uebergabe-lindenufer-14.pdf", mime_type: "application/pdf", size_bytes: 418220 }],
    body: `Dear Frau Anker, dear owners,

the scaffold came down on Tuesday, the courtyard is swept, and the last of our sandwiches has been eaten. You asked for a report that people who do not climb on roofs can read, and Frau Brambleby asked for it in English as well, so that her mother-in-law stops ringing about the noise. The German version with all the numbers is attached. This is the one for the kitchen table.

What we did

We took off 412 square metres of slate, about half of it from 1931 and the other half from everybody who had a ladder since then. Under the north side we found what Herr Dornbusch had predicted in a voice that carried: two rafters above the stairs were soft over a length of 1.40 m. They are replaced in oak, not in spruce, because oak was what the neighbours could agree on. The old felt is gone. There is now a wood fibre board of 60 mm under the slate, which is why it has become quieter on the third floor; nobody has been imagining it.

We set 96 new hooks, eleven vents and two hatches. The hatch above the left stairs opens with the square key that hangs in the boiler room on the nail with the blue ribbon. Please leave it there. A square key in a drawer is a square key that will be looked for in the rain.

The chimney of the right-hand house has new lead at its foot and a hat against the jackdaws. The jackdaws have moved to the school, whose secretary has already telephoned.

What it cost, and why it is not more

The offer was 84,600 €. The rafters added 2,310 €, the disposal of the felt 640 €. Against that we did not need the sixth week of the scaffold for the street side, which takes off 1,905 €. The final account is 85,645 €, so it is 1,045 € above the offer, and it includes the damaged flower box on the second floor, which was ours.

What you have to do in winter

Please read at least this part. The gutter on the courtyard side never gets sun between November and February. Two years ago it froze, the water went back under the slate, and that is how the stain in the stairs came about. There is now a heating cable of 38 metres in it. The gutter heating is switched in the cellar, in the grey box to the right of the meters, on fuse 14. Its thermostat must stay at plus 3 degrees and must not be turned down to save money: below zero the cable only begins when the ice is already there, and then it makes icicles instead of water. It takes about 760 watts while it runs, which we reckon to be forty to sixty euros a winter for the whole house. Somebody should look on the first frosty morning whether the green lamp is lit. If it blinks, the sensor at the downpipe is dirty, and an old toothbrush is all it needs.

Do not let anyone knock icicles off with a broom from the hatch. The hooks hold slate, they do not hold people. If more than thirty centimetres of snow lie on the north side, ring us and we come with two people and a rope; that is in the price until the end of March 2028.

What we promise

There are five years on the work and thirty on the slate, as the law and the quarry have it. For the lead at the chimney we give ten years, until 6 October 2036, on one condition: every second autumn somebody of ours looks at it for half an hour. The first visit is in the week of 18 September 2028 and costs nothing; later ones are 95 €. We will write to the administration, not to twelve kitchens.

What we left behind

In the attic, behind the water tank that nobody needs any more, there are forty slates of the same batch, wrapped in brown paper. They are yours. In twenty years somebody will be very glad of them, and they cannot be bought again in that colour. We also left a bottle for the Hoffest that took place under our scaffold; it was the only building site of the year with a brass band.

It was a pleasure to work above you. If it drips, ring at once and not after the weekend: 0151 is the number on the van, and I answer it.

With best wishes from the whole crew
Callum Reid-Hansen, site manager, Dachwerk Möwe`,
  });
  // Without the quotation that a reply brings along: one long letter is enough.
  s.mail({
    box: "private",
    at: "2026-10-08 21:10",
    from: "ada",
    to: [report.from],
    subject: `Re: ${report.subject}`,
    labels: ["house"],
    replyTo: report,
    body: "Dear Mr Reid-Hansen, thank you, this is the best letter a roof has ever sent me. The square key hangs on its nail. My mother-in-law wants to know whether she may keep complaining anyway.\n\nAda Brambleby",
  });
  s.chat(
    "house",
    "2026-10-09 08:02",
    `
dornbusch> Der Bericht vom Dach ist da. Zwei Sparren. Ich sagte es.
yara> Sie sagten es, Herr Dornbusch. Dreimal.
ada> who looks after the green lamp on the first frosty morning?
ploy> I'm up at five anyway 🥶`,
  );
}
