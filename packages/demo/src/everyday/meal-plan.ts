import { fill } from "../phrases.ts";
import type { Random } from "../random.ts";

const meals: readonly (readonly [name: string, how: string, buy: string])[] = [
  [
    "Lentil soup with lemon",
    "Onion, carrot and cumin in oil until they smell, lentils, stock, twenty minutes. Lemon at the end, not earlier.",
    "red lentils, carrots, lemons",
  ],
  [
    "Gnocchi with spinach",
    "Fry the gnocchi instead of boiling them: crisp outside, and one pot less. Spinach into the same pan for a minute.",
    "gnocchi, spinach, parmesan",
  ],
  [
    "Shakshuka",
    "Peppers and tomatoes, slow, with smoked paprika. Make hollows, one egg each, lid on, six minutes.",
    "peppers, tinned tomatoes, eggs",
  ],
  [
    "Fried rice from yesterday",
    "The rice must be cold and a day old. High heat, eggs first, then whatever is left, soy sauce last.",
    "eggs, peas, spring onions",
  ],
  [
    "Potato salad, northern style",
    "Boil the potatoes the evening before. Broth and mustard while they're warm, cucumber when they're cold.",
    "potatoes, cucumber, mustard",
  ],
  [
    "Pumpkin curry",
    "Paste in coconut cream until it splits, pumpkin, fifteen minutes. Thai basil from the balcony if there is any.",
    "pumpkin, coconut milk, limes",
  ],
  [
    "Pancakes",
    "One egg per person, milk by eye, a pinch of salt, half an hour of rest for the batter and for you.",
    "eggs, milk, apple sauce",
  ],
  [
    "Fish in parchment",
    "Fillet, slices of orange, fennel, a spoon of butter, close the parcel. Fourteen minutes at 200 degrees.",
    "white fish, fennel, oranges",
  ],
  [
    "Chickpeas with tomatoes",
    "Toast the spices dry. Two tins of chickpeas, one of tomatoes, and time. Better on the second day.",
    "chickpeas, tinned tomatoes, ginger",
  ],
  [
    "Flammkuchen",
    "Dough without yeast, rolled until you can read through it. Crème fraîche, onions, ten minutes as hot as the oven goes.",
    "flour, crème fraîche, onions",
  ],
  [
    "Noodles with peanut sauce",
    "Peanut butter, soy, lime, a little of the water. Raw carrots in fine strips for the crunch.",
    "noodles, peanut butter, carrots",
  ],
  [
    "Bean chili",
    "Dark chocolate, one piece, at the end. Mila gets hers before the chillies go in.",
    "kidney beans, maize, peppers",
  ],
  [
    "Risotto with peas",
    "Stir when you feel like it, that's quite enough. Peas in for the last three minutes, butter off the heat.",
    "risotto rice, peas, parmesan",
  ],
  [
    "Leek quiche",
    "Sweat the leeks slowly, they should be sweet. Caraway if Heinz comes, nutmeg if he doesn't.",
    "leeks, eggs, cream",
  ],
];

const boxes = [
  "bread with cream cheese and radishes, apple in wedges held together by a rubber band (lemon keeps them white)",
  "cold pasta with peas and the good olives, a plum",
  "a wrap with egg and lettuce, cut into snails",
  "rice balls from the day before, cucumber sticks, two dates",
  "oat pancake rolled up with jam, carrot, a handful of pumpkin seeds",
  "cheese cubes, crackers and grapes, which she calls a picnic and eats completely",
  "potato wedges, cold, with quark; it sounds sad and isn't",
];

const reasons = [
  "Quick, because of {reason}.",
  "This can wait on the stove if someone is late: {reason}.",
  "A dish with little washing up; you have {reason} that evening.",
  "Mila can do most of it, and you said {reason} is on that day.",
];
const slots = {
  reason: [
    "piano",
    "the running group",
    "the parents' evening",
    "swimming",
    "the late shift in the workshop",
    "the planning meeting",
    "book club",
  ],
} as const;
const weekdays = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"];

export function mealPlan(dice: Random): string {
  const chosen = dice.sample(meals, 7);
  const plan = chosen.map(
    ([name, how], index) => `### ${weekdays[index]}: ${name}\n\n${how} ${fill(dice.pick(reasons), slots, dice)}`,
  );
  const list = [...new Set(chosen.flatMap(([, , buy]) => buy.split(", ")))].sort();
  const start = fill(
    "Seven dinners, [none of them longer than forty minutes|four of them vegetarian without anyone noticing|with two evenings of leftovers built in]. I put [the quick ones on the days with appointments|the ones Mila likes where she cooks|fresh things early in the week].",
    {},
    dice,
  );
  return `${start}\n\n${plan.join("\n\n")}\n\n### Lunch boxes for Mila\n\n${dice
    .sample(boxes, 5)
    .map((box) => `- ${box}`)
    .join(
      "\n",
    )}\n\nNo nuts in any of them, because of Juno at the same table.\n\n### Shopping list\n\n${list.map((entry) => `- ${entry}`).join("\n")}\n\nYou should have rice, oil, stock and onions at home. ${fill("[If something is left on Sunday, it becomes Monday's lunch box.|Swap any two days freely, nothing depends on anything.|Freeze half of the soup; February will thank you.]", {}, dice)}`;
}
