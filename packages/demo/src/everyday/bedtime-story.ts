import { fill } from "../phrases.ts";
import type { Random } from "../random.ts";

/** A table of paragraphs for the bedtime stories which the assistant tells Mila. */
const opening = [
  "{Hero} lived in [an old teapot|the left boot of a harbour pilot|a drawer that nobody opened|the bell of a buoy], right [below the crane|beside the lock|under the third plank of the pier]. From there one could see everything: the ferries, the gulls, and on clear days [the island where the fog is made|the edge of the map|tomorrow, but only the morning of it].",
  "Far out, where the sea stops being green and begins to be blue, there stood a lighthouse that [had forgotten how to blink|was afraid of the dark|only shone on Thursdays]. And in it lived {hero}, together with {thing} and a great deal of dust.",
];
const wish = [
  "{Hero} had everything one needs: [a bed of seaweed|a spoon|a window], {thing}, and a neighbour who hummed. Only one thing was missing. {Hero} wanted to know [what is written on the back of the moon|where the tide goes when it is out|who switches on the stars|why waves always come one after the other and never all at once].",
  "“What would you like for your birthday?” asked the neighbour, who was {friend}. “{Thing},” said {hero}, “and the answer to a question.” “Presents I can do,” said {friend}. “Answers are more expensive.”",
];
const journey = [
  "So they set out, {hero} in front and {friend} behind, because {friend} [walked slowly|was carrying the sandwiches|had to think while walking]. They passed [the meadow of lost umbrellas|the street where the fish do their shopping|a whale who was counting to a million and mustn't be disturbed].",
  "The way was [longer than the map|steeper than it looked|wet, as ways are down there]. At the first bend sat {guard}, who said: “You may pass if you give me [a word I don't know yet|something round|the reason why you're here].” {Hero} thought for a while, and gave {guard} [the word “drizzle”|a round pebble|a very honest answer]. “That will do,” said {guard}, and was visibly pleased.",
  "In the evening they came to a door in the water. On it was written: [PLEASE KNOCK SOFTLY, THE SEA IS ASLEEP|ONLY FOR VERY SMALL OR VERY PATIENT PEOPLE|PULL]. They [knocked softly|pushed, of course, and then they pulled|waited, and waiting turned out to be the key].",
];
const trouble = [
  "And then it happened: [the current turned|the light went out|{friend} sneezed]. Everything that had been in its place was somewhere else, and what had been up was [beside|Tuesday|down]. {Hero} held on to {thing} with all strength, and noticed that it's much easier to be brave when somebody else is a little bit more afraid.",
  "But {guard} had followed them, not out of malice, but because [it's lonely at a bend|nobody had ever given {guard} a present before|guarding is boring when everyone has passed]. “Can I come with you?” asked {guard}. {Friend} looked at the sandwiches and counted. “If we cut them in three,” said {friend}, “they'll even be a better shape.”",
];
const answer = [
  "Behind the door sat an old [turtle|lamp|woman with a fishing net full of minutes], who knew the answer. She looked at them for a long time. “You could have asked anybody,” she said. “The tide doesn't go away. It only goes over to the others, so that they can have it for a while. Then they give it back. It's the oldest [promise|game|loan] in the world.”",
  "And the answer, when they finally heard it, was quite short. It was so short that {friend} asked for it to be repeated. “Because someone [waits for it|looks|asks],” said the voice. “That's all.” {Hero} had expected more, but on the way home it grew and grew, and by the time they saw the crane it filled the whole evening.",
];
const ending = [
  "When they were home again, {hero} put {thing} on the windowsill, where it still stands. {Friend} hummed. {Guard} moved in next door, and guards the sugar now. And if you're very quiet tonight, Mila, so quiet that you can hear the radiator think, then you'll hear them, three voices, and a spoon in a teapot.",
  "That night nobody counted the waves. They came one after the other, as always, and every single one said the same: [sleep|soon|ssssh]. And {hero}, who had wanted to know everything, knew one thing more than before, and that was enough until morning. Good night, Mila.",
];

const cast = {
  hero: [
    "Olga the octopus",
    "Pim the crab",
    "Konrad the herring",
    "Fenja the sea-mouse",
    "Theo the button",
    "Fog Number Nine",
  ],
  friend: [
    "Agathe the limpet",
    "the pilot's cat",
    "the absent-minded eel",
    "Bruno the bottle post",
    "the well-travelled snail",
  ],
  guard: [
    "the pike in uniform",
    "the lock-keeper's shadow",
    "the very correct lobster",
    "the wind from the north-east",
  ],
  thing: [
    "a thimble",
    "half a compass",
    "the letter Q",
    "a ticket for the first row",
    "a candle that had never been lit",
    "a jar of blue",
  ],
} as const;

export function bedtimeStory(dice: Random): { hero: string; text: string } {
  const chosen = Object.fromEntries(
    Object.entries(cast).map(([key, options]) => [key, dice.pick(options as readonly string[])]),
  );
  const slots: Record<string, string[]> = {};
  for (const [key, value] of Object.entries(chosen)) {
    slots[key] = [value];
    slots[key.charAt(0).toUpperCase() + key.slice(1)] = [value.charAt(0).toUpperCase() + value.slice(1)];
  }
  const paragraphs = [dice.pick(opening), ...wish, ...journey, ...trouble, dice.pick(answer), dice.pick(ending)];
  return { hero: chosen.hero!, text: paragraphs.map((paragraph) => fill(paragraph, slots, dice)).join("\n\n") };
}
