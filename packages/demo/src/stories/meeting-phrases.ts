/** A table of phrases: what twelve owners may say about eight items. */
interface MeetingItem {
  title: string;
  opening: readonly (readonly [speaker: string, text: string])[];
  remarks: number;
  phrases: readonly string[];
  closing: readonly (readonly [speaker: string, text: string])[];
}

export const speakers = [
  "Dornbusch",
  "Petersohn-Lück",
  "Yıldıray",
  "Saengdao-Falk",
  "Steenkamp-Ohm",
  "Oltmanns",
  "Brambleby",
  "Quistorp",
  "Bemberg",
  "Ilves-Tarrant",
  "Zander-Noll",
  "Frau Anker",
];

export const meetingSlots = {
  n: ["two", "three", "four", "five", "six", "seven", "eight", "a dozen"],
  year: ["2011", "2014", "2017", "2019", "2021", "2022", "2023"],
  floor: ["ground floor", "first floor", "second floor", "third floor", "attic", "rear building"],
  season: ["last winter", "in spring", "last summer", "in November", "after the storm in February", "at Easter"],
  person: [
    "the roofer",
    "my brother-in-law",
    "the chimney sweep",
    "the man from the insurance",
    "our previous administrator",
    "the architect",
    "a neighbour from number 16",
    "my sister the engineer",
  ],
  sum: [
    "three hundred euros",
    "some nine hundred",
    "two thousand at least",
    "a five-figure sum",
    "forty euros a month",
    "less than a dinner",
  ],
  thing: [
    "the gutter",
    "the skylight",
    "the chimney flashing",
    "the third row of slates",
    "the dormer",
    "the insulation above the stairs",
    "the lightning rod",
  ],
  place: [
    "behind the bins",
    "under the stairs",
    "next to the lilac",
    "by the cellar door",
    "in the passage",
    "along the wall to number 16",
  ],
  month: ["November", "the storm", "Christmas", "the first frost", "January", "the carnival", "last Tuesday"],
  feeling: [
    "honestly",
    "with respect",
    "to be frank",
    "between us",
    "for the minutes",
    "as a layman",
    "without wanting to drag this out",
  ],
} as const;

export const reactions = [
  "[I agree with that|I can't agree with that|That's one way to see it|I see it the other way round], {feeling}.",
  "May I [add something|ask something|go back one step|finish my sentence]?",
  "[Excuse me|Sorry|One moment], {feeling}, that is not [what we heard in {year}|what {person} told us|what stands in the papers].",
  "[We had exactly this discussion in {year}|We talk about this every {n} years|I seem to remember that we settled this in {year}].",
  "I've {n} [questions|remarks|doubts] and I'll be [brief|quick|as short as I can].",
  "[Thank you|Good point|Hm], that helps [me|a little|more than the leaflet did].",
  "Could we [please stay with the item|please speak one after the other|open a window]?",
  "{feeling}, I [was sceptical at first|came here to say no|haven't made up my mind|read all forty pages].",
  "My [husband|wife|tenant|daughter|mother] on the {floor} [says the same|sees it differently|asked me to say this].",
  "[What do we do|Who pays|Who decides] if {person} turns out to be [wrong|right|unavailable until autumn]?",
  "I'd like [to have that in the minutes|an answer in writing|a glass of water, and then I'll continue].",
  "[Nobody contradicts that|Everyone nods, I see|I hear laughter on the left], so let me go on.",
];

/** Longer turns: people at such meetings tell stories. */
export const anecdotes = [
  "When I moved in, in {year}, {person} told me that a house is [like a ship|like a choir|like a marriage]: everybody pays for the same hole, and nobody has made it. I thought of that {season}, when I stood on the {floor} with a torch and heard it drip, slowly, somewhere above {thing}. I didn't sleep much that night, and I don't suppose I was the only one.",
  "Let me tell you how it went at [number 16|my sister's|the house in the Werftweg]. They waited {n} years, always with good reasons, and then {thing} came down in one night. Nobody was hurt. But the insurance asked for the minutes of the last {n} meetings, and it stood there in black and white that they had known. They paid {sum} themselves, each.",
  "I have made a small list, {feeling}. First, {thing}. Second, the question who holds the keys for the {floor}. Third, what {person} promised {season} and what became of it. I'm not accusing anyone. I only notice that the list was [just as long in {year}|shorter in {year}|my husband's list in {year}], and that I read it out in this hall then, too.",
  "For us on the {floor} it is a question of [light|noise|money|trust]. We are [two pensions|one and a half salaries|a family with small children], and we plan for {n} months ahead, not for ten years. If you tell me a number and a date today, I can live with it. What I can't live with is a letter in the summer which says that {person} has miscalculated.",
  "I called {person} this morning, at {n} minutes past eight, because I wanted to be prepared. He laughed, then he was silent, and then he said: do it, but have it put in writing who carries {thing} away and when. In {year} they left the rubble {place} for {n} weeks, and the lilac has had a bend ever since. You can look at it on your way out.",
  "I would like to say something in favour of patience, since nobody else does. This house has survived [a flood|two floods and a fire|three administrators], and each time somebody said that it must be done at once or never. In {year} it was {thing}. We waited, we asked {n} more people, and in the end it cost {sum} instead of a fortune. That's all. I've finished.",
  "What [annoys|worries|puzzles] me is the order in which we discuss this. We talk about {thing} for half an hour, and about {sum} for two minutes. {person} says that every meeting in this town is like that, and that it is because everyone can picture [a shed|a mop|a bicycle], but nobody can picture an insulation layer of {n} centimetres. I can't either, I admit it.",
  "There was a time, {n} or so years ago, when the people on the {floor} had a key to every flat and a list of birthdays. I don't want that back. But when {thing} was torn off {season}, it took us {n} hours to find out who might have a ladder, and it stood {place} all the time. Could we at least put a sheet with telephone numbers in the entrance?",
  "Permit me a technical remark, as I did this for a living until {year}. Water doesn't fall, it travels. What you see as a stain on the {floor} may have come in at {thing}, {n} metres away, months ago. So when {person} says that it's dry up there, he's right, and when Frau Quistorp says that it's wet down here, she's right as well. You'll only know when it's open.",
  "I've been quiet so far, and I'll be quiet again in a minute. My [mother|aunt|neighbour] always said that one should ask three questions: is it needed, is it needed now, and would I still want it if nobody saw it? For {thing} my answers are yes, yes and yes. For the thing {place} they're no, no and, {feeling}, a little bit.",
  "May I read from the minutes of {year}? I quote: the community takes note that {thing} has to be observed. End of quote. We've observed it for {n} years now, very thoroughly. My daughter was in kindergarten when we began observing, and she's [learning to drive|taller than I am|paying rent of her own] today. I think we have observed enough.",
  "One more thing about the neighbours, because we aren't alone on this street. Number 16 shares the wall with us, and number 12 the drain. If we put something up {place}, or a scaffold in front, they'll want to know before and not after. {season} I met {person} at the baker's, and the first thing I was asked was whether we'd thought of that. I said of course. Have we?",
];

export const meetingItems: readonly MeetingItem[] = [
  {
    title: "Item 1, welcome",
    opening: [
      [
        "Frau Anker",
        "Good evening. It is 18:34. I count twelve of twelve flats, present or represented, so we have a quorum. Frau Brambleby would like to record the meeting for her notes. Is anyone against it? No. Then the recording runs with everybody's consent and is only meant for the owners of this house.",
      ],
      ["Brambleby", "Thank you. I'll send the text to everyone within a week."],
    ],
    remarks: 9,
    phrases: [
      "[The chairs in here get harder every year|The heating in this hall is either off or tropical|I can hardly hear anything back here].",
      "[I represent the {floor} as well|I hold a proxy for the {floor}|My proxy for the {floor} is with Frau Anker]; the paper was signed {season}.",
      "The invitation came on [the second|the third|a Monday], that is {n} days [more than required|earlier than in {year}].",
      "Can we [swap items five and six|put the roof first|agree to end by ten], because {person} [is waiting|has to catch a train|only has time until eight]?",
      "[Last time|In {year}] the minutes took {n} weeks, and then {thing} was [misspelt|missing|described twice].",
      "There is [coffee|tea|peppermint tea] on the table at the back, Frau Saengdao-Falk brought {n} thermos flasks.",
      "I'd welcome it if [telephones were silent|we raised our hands|each of us spoke for two minutes at most].",
    ],
    closing: [["Frau Anker", "The minutes will be with you by 31 March, that is a promise. We come to item two."]],
  },
  {
    title: "Item 2, accounts for 2025",
    opening: [
      [
        "Frau Anker",
        "Income was 58,240 euros, expenses 55,910. The reserve stands at 31,400 euros today. Heating was eleven percent more expensive, water almost the same. The auditors, Frau Quistorp and Herr Bemberg, have seen every receipt.",
      ],
    ],
    remarks: 34,
    phrases: [
      "The [electricity in the stairwell|lift we don't have|garden|caretaker service] costs us {sum}, and I'd like to know [why|since when|compared to what].",
      "On page {n} the [water|waste|insurance|chimney sweep] appears [twice|under repairs|without a receipt number].",
      "In {year} we [paid half of that|had a cheaper contract|decided to compare offers every {n} years].",
      "[The reserve|That reserve] looks [comfortable|thin|larger than it is], if you think of {thing}.",
      "[I checked {n} receipts myself|Herr Bemberg and I went through {n} folders|I added up the columns by hand], and they [were right to the cent|were right, apart from a stamp|agreed with the bank].",
      "The insurance went up because of [the hail|the water damage on the {floor}|the storm], {person} [confirmed it|warned us {season}].",
      "Who reads the meters on the {floor}? {season} they [were estimated|stood behind a wardrobe|showed less than the year before].",
      "[{sum} for salt|{sum} for light bulbs|{sum} for keys] seems [much|little|odd] for a winter without snow.",
      "Could we see the [heating|waste|cleaning] costs for each flat [next year|as a table|before the meeting and not in it]?",
    ],
    closing: [
      ["Quistorp", "We recommend to approve the accounts."],
      ["Frau Anker", "No objection, then the accounts for 2025 are approved without a formal count."],
    ],
  },
  {
    title: "Item 3, the roof: offers and resolution",
    opening: [
      [
        "Frau Anker",
        "You have three offers: Dachwerk Möwe for 84,600 euros, Zimmerei Holm for 88,900, Giebel and Grat for 91,250. All include the scaffold, new slates on the street side, gutters and the insulation over the stairs.",
      ],
      [
        "Dornbusch",
        "Slates do not read calendars. This roof has held since 1964, it will hold another year, and then we pay it from the reserve. I want that sentence in the minutes.",
      ],
      [
        "Petersohn-Lück",
        "Three offers are too few, and the cheapest counts the scaffold for six weeks only. I doubt that six weeks are enough. Who pays the seventh?",
      ],
    ],
    remarks: 70,
    phrases: [
      "[{season} I had a bucket|{season} we had {n} buckets|Since {month} there's been a stain] below {thing}.",
      "{person} went up there {season} and said that {thing} [is finished|has a year left|was never done properly|is better than it looks].",
      "If we [wait|patch it|only do the street side], {thing} will [cost us twice|be next|let water in before Christmas].",
      "Giebel and Grat [did number 16 in {year}|answered the phone at least|want more, but they give ten years of warranty].",
      "Zimmerei Holm is [in the middle and that's never wrong|run by people who come on time|booked until autumn, says {person}].",
      "Dachwerk Möwe [did the school in {year}|is a family firm with {n} people|wrote the only offer I could read].",
      "What happens to [the solar panels|my satellite dish|the swifts' nests|the pigeons] while the scaffold is up?",
      "[A scaffold means darkness on the {floor}|A scaffold invites burglars|Scaffolds cost by the week], so the dates must be [in the contract|realistic|outside the school holidays].",
      "Insulation over the stairs saves [maybe {sum} a year|nothing on the {floor}|more than we think], {person} calculated it {season}.",
      "[Slate|Tile|Sheet metal] would be [cheaper|lighter|uglier], and the [monument office|neighbourhood|bank] will want a say.",
      "I'd want {thing} as a separate [position|line|offer], so that we can [compare|strike it out|decide later].",
      "Starting on [24 August|a Monday in August] means that we'd be dry before [the autumn storms|November], if the weather holds for {n} weeks.",
      "[Has anyone seen|I have seen] a roof by [Möwe|Holm|Giebel and Grat] after {n} years? [It looked like new.|It looked tired.|I'd like an address to look at.]",
      "The difference between the offers is [smaller than the insurance excess|about six thousand six hundred|what {thing} alone would cost].",
    ],
    closing: [
      [
        "Frau Anker",
        "I'll ask Dachwerk Möwe for a written limit on the costs of the scaffold, by 15 April. Frau Saengdao-Falk is outside with the coffee, so she will count as an abstention if she isn't back. I put to the vote: contract to Dachwerk Möwe for 84,600 euros, start on 24 August 2026. Who is in favour? Nine. Against? Herr Dornbusch and Frau Petersohn-Lück, two. Abstentions: one. The motion is carried.",
      ],
      ["Dornbusch", "Under protest."],
    ],
  },
  {
    title: "Item 4, special levy",
    opening: [
      [
        "Frau Anker",
        "I propose a levy of 4,200 euros per flat, due on 30 June 2026. The rest comes from the reserve. The roofers want a third before they begin.",
      ],
      [
        "Yıldıray",
        "I am for the roof, but not for this. Could we not pay in two halves, one in June and one in December?",
      ],
      [
        "Frau Anker",
        "I'm sorry, no: a third is due in August and a third at half time. I'll write a letter for those who need to pay later, with conditions, by 30 April.",
      ],
    ],
    remarks: 38,
    phrases: [
      "[Four thousand two hundred|That sum] is [two months of pension|a holiday|a used car|what I put aside for {thing}].",
      "[Equal shares|Shares by square metres|Shares by floor] would be [fairer|against the declaration of {year}|a matter for a lawyer].",
      "I could [pay tomorrow|pay in {n} parts|pay, but not gladly], {feeling}.",
      "The reserve is [for exactly this|our emergency money|never touched in my time], {person} always said.",
      "What about a [loan for the community|grant for insulation|credit from the Hafenbank]? In {year} the interest was [low|absurd|a secret].",
      "If one of us [doesn't pay|sells|dies], do the others [pay {sum} more|wait|get a letter]?",
      "I'm selling, as you know, and the buyer [will ask who pays|comes from {n} hundred kilometres away|has read your offers too].",
      "[June|The end of June] is [before the holiday pay|tight for the {floor}|better than December].",
    ],
    closing: [
      [
        "Frau Anker",
        "We vote. Levy of 4,200 euros per flat, due on 30 June. In favour: eight. Against: Herr Dornbusch, Frau Petersohn-Lück, Herr Yıldıray, three. One abstention, Herr Oltmanns. Carried.",
      ],
    ],
  },
  {
    title: "Item 5, bicycle room in the courtyard",
    opening: [
      [
        "Brambleby",
        "There are twenty-three bicycles and a cargo bike in a passage that was built for one horse. I move that we look for a place with a roof and a lock.",
      ],
    ],
    remarks: 46,
    phrases: [
      "A shed {place} would need [a permit|{n} posts and a roof|the consent of number 16], and {person} could [draw it|build it|object].",
      "[My cargo bike|That cargo bike|The tandem from the {floor}] [blocks the bins|has never been in anyone's way|doesn't fit through the door].",
      "{n} of the bicycles [have no owner|have no wheels|have been there since {year}].",
      "[Before we build|First] we should [label them|count them|give away what nobody claims] {season}.",
      "The lilac [stays|has to go|was planted in {year} by my late husband], {feeling}.",
      "Charging batteries {place} is [a fire risk|no problem|a question for {person}].",
      "[Two tiers|Hooks on the wall|A simple rail] would cost {sum} and [solve half of it|need strong arms|look like a station].",
      "Children [leave theirs|park theirs|drop theirs] {place}, and then the post [falls over them|complains|rings at my door].",
      "Thefts: {n} in this street {season}, says {person}; a lock on the gate [would help|was tried in {year}|needs {n} keys each].",
      "Where would the [bins|herbs|sandpit|chairs for the summer party] go, if not {place}?",
    ],
    closing: [
      ["Dornbusch", "I'll measure the courtyard by the end of May. With a tape, not with an app."],
      ["Frau Anker", "Then item five is adjourned until the autumn meeting."],
    ],
  },
  {
    title: "Item 6, house rules: quiet hours",
    opening: [["Dornbusch", "The rules say 22 o'clock. The rules have said 22 o'clock since 1971. I'd like 21."]],
    remarks: 34,
    phrases: [
      "[The piano on the {floor}|The washing machine above me|The drilling {season}] ended at [half past nine|ten to ten|eight], and that's [fine|a fact|rare].",
      "[Children|Students|Retired people] also [sleep|live here|make noise, and louder than they think].",
      "[On Sundays|In summer|During the football] I [close the window|go for a walk|join in].",
      "[Nine o'clock|An hour earlier] would mean that [we couldn't cook|Mila couldn't practise|half of the house moves on tiptoe].",
      "Herr Dornbusch, you [repair clocks at eleven|listen to the shipping forecast|have the only doorbell that plays a march].",
      "[Talking to one another|A note in the letter box|A friendly knock] has worked for {n} years on the {floor}.",
      "[In {year}|{season}] there were {n} complaints, {n} of them [by one person|about a bird|withdrawn].",
    ],
    closing: [
      [
        "Frau Anker",
        "Who wants the quiet hours to stay as they are, 22:00? Twelve. That includes you, Herr Dornbusch.",
      ],
      ["Dornbusch", "I'm a democrat."],
    ],
  },
  {
    title: "Item 7, cleaning of the stairs",
    opening: [
      [
        "Steenkamp-Ohm",
        "The firm comes on Fridays and the sand comes on Saturdays. I'd like another day or another firm.",
      ],
    ],
    remarks: 34,
    phrases: [
      "The [{floor}|landing on the {floor}|window on the {floor}] has not been [wiped|seen a mop|opened] since {month}.",
      "[The firm sends {n} different people|It's always the same kind man|They come at six in the morning], and [nobody shows them the cellar|they have no key to the attic|they skip the railing].",
      "We pay {sum}, and in {year} we did it [ourselves, by turns|with a list on the door|for a crate of lemonade].",
      "[A list|Taking turns] ended in {year} with [a quarrel about a bucket|nobody's turn|{n} letters from a lawyer].",
      "[Mondays|Thursdays|Twice a month] would be [enough|better after the weekend|cheaper by {sum}].",
      "[Shoes|Prams|A sledge] in front of the doors [make it impossible|are a fire risk|belong inside].",
      "{person} [knows a firm|has a cousin who cleans|recommends oil soap], for what it's worth.",
    ],
    closing: [
      ["Steenkamp-Ohm", "I'll get two more offers by 10 April."],
      ["Frau Anker", "Thank you. No resolution needed."],
    ],
  },
  {
    title: "Item 8, any other business",
    opening: [["Frau Anker", "It is late. Short contributions please."]],
    remarks: 34,
    phrases: [
      "The [front door sticks|bell of the {floor} is dead|light in the cellar goes off after {n} seconds].",
      "[A parcel|A key|A child's glove|A library book] has been lying {place} since {month}.",
      "The summer party: [29 August|the last Saturday in August], I'd say, scaffold [or not|as decoration|permitting].",
      "[Foxes|Martens|The cat from the third floor|Wasps] {place}, {n} times {season}.",
      "[Somebody|Whoever it is] should [not feed the pigeons|close the gate|return my ladder], {feeling}.",
      "The [notice board|defibrillator|fire extinguisher on the {floor}] [expired in {year}|needs a key|is hidden by a plant].",
      "Could {person} [look at the mailbox flaps|speak at the next meeting|be thanked]? It'd cost {sum}.",
      "Ploy's [thermos coffee|spring rolls] should be [an item of their own|in the minutes|reimbursed].",
    ],
    closing: [
      ["Frau Anker", "I close the meeting at 21:29. Thank you, and mind the step."],
      ["Brambleby", "Recording ends."],
    ],
  },
];
