import { addDays, daysBetween, firstDay, lastDay } from "../local-time.ts";
import { type RoomKey, rooms } from "../people.ts";
import { fill } from "../phrases.ts";
import type { Random } from "../random.ts";
import type { Script } from "../script.ts";
import { chatScenes, chatSlots, scenesPerYear } from "./chat-scenes.ts";

const hours = [
  "07:12",
  "07:48",
  "08:26",
  "10:03",
  "12:17",
  "12:51",
  "13:34",
  "15:09",
  "16:02",
  "17:21",
  "18:44",
  "19:37",
  "20:15",
  "21:06",
];

/** Fills a scene until few of its lines have been said before. */
function freshScene(template: string, dice: Random, said: Set<string>): string {
  const known = (text: string) => text.split("\n").filter((line) => line.length > 14 && said.has(line)).length;
  let best = fill(template, chatSlots, dice);
  for (let attempt = 0; attempt < 10 && known(best) > 0; attempt++) {
    const next = fill(template, chatSlots, dice);
    if (known(next) < known(best)) best = next;
  }
  for (const line of best.split("\n")) said.add(line);
  return best;
}

export function everydayChat(script: Script, dice: Random): void {
  const days = daysBetween(firstDay, lastDay);
  for (const room of Object.keys(rooms) as RoomKey[]) {
    const said = new Set<string>();
    const scenes = chatScenes[room];
    const count = scenesPerYear[room];
    for (let index = 0; index < count; index++) {
      const day = addDays(firstDay, Math.min(days, Math.floor(((index + dice.next()) * days) / count)));
      const offset = dice.int(0, 3);
      const time = dice.pick(hours);
      // Walking through the scenes in turn keeps the same one from coming twice in a week.
      const scene = freshScene(scenes[(index + (offset === 0 ? 1 : 0)) % scenes.length]!, dice, said);
      script.chat(room, `${day} ${time.slice(0, 4)}${dice.int(0, 9)}`, scene);
    }
  }
}
