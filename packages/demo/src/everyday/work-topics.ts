/** Tables for the work mailbox. Each thread is a question, its answers and how it ended. */
export interface Workplace {
  from: string;
  until: string;
  people: readonly string[];
  boss: string;
  slots: Readonly<Record<string, readonly string[]>>;
  threads: readonly (readonly [subject: string, ...mails: readonly (readonly [who: string, text: string])[]])[];
}

const shared = {
  week: [""],
  day: ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday"],
  off: ["3", "7", "11", "14", "18", "22", "27", "35"],
  charge: ["34", "41", "58", "63", "77", "82", "96"],
  few: ["two", "three", "four", "five"],
  number: ["12", "17", "23", "31", "48", "64", "90", "140", "212"],
  hour: ["9:30", "10:15", "11:00", "13:30", "14:45", "16:00"],
} as const;

export const workplaces: readonly Workplace[] = [
  {
    from: "2025-11-03",
    until: "2026-04-29",
    boss: "greta",
    people: ["samirWork", "tomasz"],
    slots: {
      ...shared,
      table: [
        "zone table 4",
        "the fuel surcharge table",
        "the island tariffs",
        "the express matrix",
        "the reefer table",
        "the customs fee table",
      ],
      client: [
        "Pelikan Seafood",
        "Möbelhof Ost",
        "Quarry & Daughters",
        "Lumen Lamps",
        "the chocolate people",
        "Saltwick Books",
      ],
      nextStep: [
        "the shadow run",
        "the read switch",
        "the clean-up",
        "the second rehearsal",
        "the report for the auditors",
      ],
      step: [
        "dual write",
        "the shadow run",
        "the back-fill",
        "the cut-over rehearsal",
        "the read switch",
        "the clean-up",
      ],
      cause: [
        "rounding to the next cent twice",
        "a time zone in the validity date",
        "an empty zone that counts as zero",
        "a cache that was never told",
        "a comma where a point should be",
        "last year's holiday calendar",
      ],
      job: ["nightly-tariffs", "rate-export", "heron-shadow", "fuel-index", "invoice-preview"],
    },
    threads: [
      [
        "Heron: {step}, week of {week}",
        [
          "ada",
          "Hi Greta,\n\nshort status for Heron:\n\n- {step}: [done|on track|two days late], {number} of {number}0 tariffs compared\n- open differences: {number}, most of them {cause}\n- next: {nextStep}, [with Samir|with Tomasz|if the test data arrives]\n\nNo blockers[, for once| apart from the usual].",
        ],
        [
          "boss",
          "[Thanks, clear.|Good. Please name one risk next time, even if it's small.|Thank you. I'll tell the board that it's going well, which it is.] Can we talk on {day} at {hour} about {nextStep}?",
        ],
      ],
      [
        "{client}: invoice is off by {off} cents",
        [
          "other",
          "Ada,\n\n{client} complains again: the invoice of {day} is {off} cents higher than the quote. I've looked at {table} and see nothing. Could it be {cause}?",
        ],
        [
          "ada",
          "It is {cause}, I'm afraid. [We fixed it in Heron|I have a test for it now|It only happens on {day}s, which is why nobody saw it]. Correction runs tonight, {client} gets a credit note[.| and an apology from me.]",
        ],
        [
          "other",
          "[You're a wizard.|Thank you! They'll send chocolate, or whatever they make.|Great, I close ticket {number}{number}.]",
        ],
      ],
      [
        "Review: change to {table}",
        [
          "other",
          "I've put up a change for {table}: it removes {number} dead rows and [splits the validity|adds a check for overlaps|renames two columns that have been lying to us]. Could you look before {day}?",
        ],
        [
          "ada",
          "Looked at it. Two remarks: [the check should fail loudly|please keep the old name for one release|add a case for {cause}], and the comment explains what and not why. Otherwise: yes, gladly.",
        ],
      ],
      [
        "[alert] {job} failed, {number} rows refused",
        [
          "Northlight Jobs <jobs@northlight.example.com>",
          "Job {job} exited with code 1 after {number} minutes.\n\n  step      load {table}\n  message   duplicate validity range for zone {number}\n  attempt   3 of 3\n\nLast success: [yesterday|two days ago|{day}]. Runbook: see wiki, page “{job}”.",
        ],
      ],
      [
        "Room for {day} {hour}?",
        [
          "other",
          "Does anyone have a room for {day} {hour}? I have {number} people from {client} and a whiteboard that [squeaks|can't be wiped|belongs to marketing].",
        ],
        ["ada", "Take ours, [we sit in the kitchen anyway|we'll do {step} by phone|I'm at home that day]."],
      ],
      [
        "All: {day} news from People & Payroll",
        [
          "ilse",
          "Dear all,\n\n[please enter your leave until {day}|the parking deck is closed on {day}|flu vaccination is on {day} at {hour} in room {number}|the bicycle leasing starts again]. And: [the coffee machine is descaled, please be gentle|lost: one grey scarf|welcome to {number} new colleagues in the depots].\n\nThank you!",
        ],
      ],
      [
        "{step}: who is on call?",
        ["boss", "For {step} on {day} I need two names on call, one of them awake."],
        ["other", "[Me.|I can, if Ada takes the early half.|Tomasz and me, as always.]"],
        [
          "ada",
          "Early half is mine. [I've written the runbook with pictures.|Rollback takes {number} minutes, tried it twice.|Please, nobody touch {table} that day.]",
        ],
      ],
    ],
  },
  {
    from: "2026-05-05",
    until: "2026-10-29",
    boss: "noor",
    people: ["wanjiru", "ben"],
    slots: {
      ...shared,
      gauge: ["Lindenhafen Lock", "Hohe Düne", "Port-Kerlaouen", "Norderwiek", "Saltwick", "Morvanec pier"],
      part: [
        "the tide table API",
        "the depth tiles",
        "the gauge importer",
        "the harmonic solver",
        "the offline map pack",
        "the licence server",
      ],
      customer: [
        "the pilots' association",
        "two ferry lines",
        "a kayak club",
        "the harbour master",
        "an insurance company",
        "the sea rescue volunteers",
      ],
      bug: [
        "a gauge that reports feet",
        "a datum that moved in 1993",
        "leap seconds, of all things",
        "tides that were predicted twice",
        "a station which was renamed on a {day}",
        "a sensor full of mussels",
      ],
      metric: ["p95 latency", "the residual", "the error budget", "import lag", "the cache hit rate"],
    },
    threads: [
      [
        "{gauge}: residual of {off} cm",
        ["other", "Morning,\n\n{gauge} is {off} cm off the prediction since {day}. Storm surge or {bug}?"],
        [
          "ada",
          "It is {bug}, [sorry to say|I checked twice|and I have a photo]. [The real water is fine.|I masked it from {day} {hour} on.|The importer now refuses such values and says why.]",
        ],
        ["other", "[Ha!|Of course it is.|Adding it to the museum.] I'll tell {customer}."],
      ],
      [
        "Design note: versions for {part}",
        [
          "ada",
          "Hi both,\n\nI've written a note about versions for {part}. In short: tables are immutable, a correction is a new version, and every answer says which one it used. It costs us about {number} MB a month and saves us the question “what did you tell {customer} on {day}?”.\n\nPlease be unkind to it.",
        ],
        [
          "other",
          "Unkind remarks: [who deletes old versions|what happens if two corrections cross|{metric} will suffer a bit]. Kind remark: I understood it on first reading.",
        ],
        ["boss", "[Good note. Do it.|I like the cost line. More of those.|Let's try it with {gauge} first.]"],
      ],
      [
        "{customer} would like {part}",
        ["boss", "{customer} asked for {part}, and could we show something on {day} at {hour}? Nothing polished."],
        [
          "ada",
          "[Yes. I'll show {gauge}, it behaves.|Yes, with the real data and without slides.|If Ben brings the large screen, yes.]",
        ],
      ],
      [
        "Weekly numbers: {metric}",
        [
          "other",
          "Numbers of the week:\n\n- {metric}: [better|worse|calmer] than last week by {few} percent\n- gauges that went silent: {few}, among them {gauge}\n\n[Nothing to worry about.|I worry a little about {part}.|Cake is due, we said so.]",
        ],
      ],
      [
        "[monitor] {gauge} silent for {off} min",
        [
          "Tidewater Monitor <monitor@tidewater.example.net>",
          "No readings from {gauge} for {off} minutes.\n\nlast value   {number} cm above datum\nbattery      {charge} %\nowner        on-call, see rota\n\nThis message repeats every two hours until it is acknowledged.",
        ],
      ],
      [
        "Pairing on {part}?",
        ["other", "Do you have an hour on {day}? I'm stuck with {part}, and I think that it's {bug}."],
        [
          "ada",
          "[{hour} is good.|After stand-up?|Yes, and bring the failing case.] I had {bug} in May, [it took me a day|Wanjiru saw it in a minute|we may laugh about it together].",
        ],
      ],
      [
        "Planning and lunch, week of {week}",
        [
          "boss",
          "Dear all,\n\nplanning is on {day} at {hour}. Bring one thing we should stop doing. [Lunch is at Krua Ploy, Ada has reserved for {number}.|We go out with the measuring boat, bring a jacket.|Ben cooks. You have been warned.]",
        ],
      ],
    ],
  },
];
