import { addDays, firstDay } from "../local-time.ts";
import { fill } from "../phrases.ts";
import type { Random } from "../random.ts";
import type { Script } from "../script.ts";
import { smallTalks } from "./assistant-talks.ts";
import { bedtimeStory } from "./bedtime-story.ts";
import { mealPlan } from "./meal-plan.ts";

const asks = [
  "Dinner plan for next week please: three people, one of them nine and sceptical. {constraint}.",
  "We need seven dinners again. {constraint}. Please with a shopping list.",
  "What do we eat next week? {constraint}, and not too many onions.",
];
const slots = {
  constraint: [
    "Vegetarian except once",
    "I'm home late on Tuesday",
    "Heinz is visiting from Thursday",
    "We have a whole pumpkin to get rid of",
    "Little money this month",
    "Jonas cooks, so nothing with timing",
    "Mila wants to cook on one day alone",
    "It's hot, nobody wants to stand at the stove",
    "There are eleven kilos of tomatoes on the balcony",
  ],
} as const;

export function everydayAssistant(script: Script, dice: Random): void {
  for (let index = 0; index < 11; index++) {
    const day = addDays(firstDay, 9 + index * 32 + dice.int(0, 6));
    const turns = [fill(asks[index % asks.length]!, slots, dice), mealPlan(dice)];
    if (dice.chance(0.7)) {
      turns.push(
        fill(
          "[Swap {day} please, we had that last week.|Mila refuses {day}. Alternative?|Which of these can I prepare on Sunday?|How much will that cost, roughly?]",
          { day: ["Tuesday", "Wednesday", "Friday"] },
          dice,
        ),
        fill(
          "[Gladly: take baked potatoes with herb quark instead. Same shopping, minus one bag.|Then let it be pasta with whatever sauce she mixes herself. People eat what they've made.|The soup and the beans, both get better. Wash and cut the vegetables for two days at most.|About 62 to 70 €, if rice and oil are at home; cheese is the expensive part.]",
          {},
          dice,
        ),
      );
    }
    script.talk(
      `${day} 1${dice.int(6, 9)}:${dice.int(10, 59)}`,
      `Dinner plan, week of ${day}`,
      ["cooking", "family"],
      turns,
    );
  }
  for (let index = 0; index < 9; index++) {
    const day = addDays(firstDay, 17 + index * 38 + dice.int(0, 5));
    const { hero, text } = bedtimeStory(dice);
    const question = fill(
      "[Please tell a bedtime story for my daughter Mila|Mila would like a story|One more story for Mila, please]. It's about {hero}. [Not scary, five minutes|With a question in it|She's tired but doesn't admit it], [and the sea has to be in it|harbour, please|a calm ending].",
      { hero: [hero] },
      dice,
    );
    const turns = [question, text];
    if (dice.chance(0.6))
      turns.push(
        "She asks what happened to the door afterwards.",
        fill(
          "It [stands open now|was painted green|leads to the kitchen on Wednesdays]. Whoever knows the way may come in, and whoever doesn't is shown it [by the wind|by the cat|the next morning]. More can't be said tonight, because the door is asleep as well.",
          {},
          dice,
        ),
      );
    script.talk(
      `${day} 19:${dice.int(30, 58)}`,
      `Bedtime story: ${hero}`,
      ["mila", "stories"],
      turns,
      "lantern-2-mini",
    );
  }
  const chapters = Array.from({ length: 4 }, (_, index) => `## Chapter ${index + 1}\n\n${bedtimeStory(dice).text}`);
  const book =
    "Could you write a whole little book for Mila's birthday, four chapters, one for each evening until the party? Every chapter about somebody else who lives in our harbour.";
  script.talk(
    "2026-06-07 20:44",
    "Four chapters for Mila's birthday",
    ["mila", "stories"],
    [book, `# Harbour people\n\nFor Mila, who is nine now.\n\n${chapters.join("\n\n")}`],
  );
  for (const [at, title, topics, ...turns] of smallTalks) script.talk(at, title, topics.split(" "), turns);
}
