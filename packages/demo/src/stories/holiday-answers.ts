const days: readonly (readonly [day: string, plan: string, rain: string])[] = [
  [
    "Sat 18 July – arrival",
    "Train, ferry at 15:10, key from Monsieur Tanguy at number 2. The market is over by then, so bring supper with you. Walk down to the water, put six feet into it, walk back.",
    "The house has a stove. Nobody has ever been sad about pancakes on the first evening.",
  ],
  [
    "Sun 19 July",
    "Explore on foot: harbour, bakery, the shop with the bell. Let her find the way home alone once you are within sight of the house.",
    "Draw a map of the island from memory, and correct it every day.",
  ],
  [
    "Mon 20 July",
    "Low tide is around noon. Crabs live under the flat stones west of the slipway. One bucket, wet sand, everyone goes home again before the tide turns.",
    "Shell sorting on the kitchen floor, by size, then by colour, then by who found them.",
  ],
  [
    "Tue 21 July",
    "Lighthouse. Two hundred and some steps; count them, nobody ever agrees. Picnic at the foot of it, out of the wind.",
    "The small lifeboat museum opens at two on wet days.",
  ],
  [
    "Wed 22 July – market",
    "Market from eight. Give her five euros and a shopping list in French: six abricots, une botte de radis, un pain. She does the talking.",
    "The market happens anyway. Rain makes it shorter and the stallholders more generous.",
  ],
  ["Thu 23 July", "Nothing. Reading in the garden. A hammock, if there is one.", "Nothing, indoors."],
  [
    "Fri 24 July",
    "Walk along the north cliff, an hour out and an hour back. Stay behind the fence; the edge is undercut.",
    "Bake something that needs two hours and little attention.",
  ],
  [
    "Sat 25 July – market",
    "Market again, then a long lunch from what you carried home.",
    "Card games. The one with the seven families teaches more French than any app.",
  ],
  [
    "Sun 26 July",
    "Hire bicycles for the day. The island is eleven kilometres round; the south side is flat and has the ice cream.",
    "Swap with Monday.",
  ],
  [
    "Mon 27 July",
    "Swimming in the sheltered bay. Warm by island standards, which is to say seventeen degrees.",
    "Swim anyway. You are wet already.",
  ],
  [
    "Tue 28 July",
    "Boat trip to the seal rocks if the sea is calm. Take a jumper each; it is always colder out there.",
    "Write postcards: one to each grandparent, one to the cat.",
  ],
  [
    "Wed 29 July – market",
    "Last big market. Buy what travels: salt, biscuits in a tin, the soap that smells of fig.",
    "As above, with umbrellas.",
  ],
  [
    "Thu 30 July",
    "Her day. She chooses, you carry. Agree on a budget beforehand, not during.",
    "She chooses from indoors things; the budget stays.",
  ],
  [
    "Fri 31 July",
    "Pack in the morning, sea in the afternoon, early supper. Leave the house as you found it, plus coffee.",
    "Pack slowly. Watch the weather: this is when you will hear about the ferry.",
  ],
  [
    "Sat 1 August – home",
    "Ferry at 10:45, train in the afternoon. Out of the house before ten.",
    "If the ferry does not run, see below: it is a small adventure and not a catastrophe.",
  ],
];

export function itinerary(): string {
  const plan = days.map(([day, text, rain]) => `### ${day}\n\n${text}\n\n*If it rains:* ${rain}`).join("\n\n");
  return `Here is a loose plan. I kept to one thing a day, put the walks that need good weather early so that they can slide, and left two days empty on purpose: on the second Thursday everybody will be tired of being entertained.

${plan}

### Three rules that keep two weeks pleasant

1. **The tide decides, not the clock.** Pin the tide table to the fridge. Crabs need low water, swimming is nicest an hour before high water.
2. **One decision per person per day.** Whoever decided about lunch does not decide about the walk.
3. **A quiet hour after lunch**, for everyone, adults included. It is the difference between day five and day twelve.

### What I do not know

I have no reliable opening times for the museum or the boat trip. Ask at the harbour on the first morning, and tell me; then I will move the days around. Bon voyage !`;
}
