import { addDays, daysBetween, firstDay, lastDay, weekday } from "../local-time.ts";
import { type RoomKey, rooms } from "../people.ts";
import { fill, type Slots } from "../phrases.ts";
import type { Random } from "../random.ts";
import type { Script } from "../script.ts";
import { chatScenes, chatSlots, scenesPerYear, weather } from "./chat-scenes.ts";

const hours = [
  "07:10",
  "07:40",
  "08:20",
  "10:00",
  "12:10",
  "12:50",
  "13:30",
  "15:00",
  "16:00",
  "17:20",
  "18:40",
  "19:30",
  "20:10",
  "21:00",
];

/** Good morning is said in the morning, and what is planned for later is said before. */
function hoursFor(scene: string): readonly string[] {
  if (/Morgen|صباح|おはよう|this morning|forgot/.test(scene)) return hours.slice(0, 3);
  return /\{time\}|tonight|dinner|lunch/.test(scene) ? hours.slice(2, 9) : hours;
}

/** The household was on the island together, and Ada did not run while her calf healed. */
const onHoliday = (day: string) => day >= "2026-07-18" && day <= "2026-08-02";
const injured = (day: string) => day >= "2026-03-07" && day < "2026-06-06";
const needsHome: readonly RoomKey[] = ["home", "ploy", "house", "runners", "books", "parents"];
const needsLegs = /ada>.*(\{km\}|me too|legs hate)/;
const needsSchool = /forgot|picks up|Mathe|\{fach\}|\{ding\}|\{tag\}/;

/** Fills a scene until few of its lines have been said before. */
function freshScene(template: string, slots: Slots, dice: Random, said: Set<string>): string {
  const known = (text: string) => text.split("\n").filter((line) => line.length > 8 && said.has(line)).length;
  let best = fill(template, slots, dice);
  for (let attempt = 0; attempt < 30 && known(best) > 0; attempt++) {
    const next = fill(template, slots, dice);
    if (known(next) < known(best)) best = next;
  }
  for (const line of best.split("\n")) said.add(line);
  return best;
}

export function everydayChat(script: Script, dice: Random): void {
  const days = daysBetween(firstDay, lastDay) - 2;
  for (const room of Object.keys(rooms) as RoomKey[]) {
    const said = new Set<string>();
    const scenes = chatScenes[room];
    const count = scenesPerYear[room];
    for (let index = 0; index < count; index++) {
      let day = addDays(firstDay, Math.floor(((index + dice.next()) * days) / count));
      // Walking through the scenes in turn keeps the same one from coming twice in a week.
      const scene = scenes[(index + (dice.chance(0.25) ? 1 : 0)) % scenes.length]!;
      const time = dice.pick(hoursFor(scene));
      if (onHoliday(day) && needsHome.includes(room)) continue;
      if (injured(day) && needsLegs.test(scene)) continue;
      if (needsSchool.test(scene)) while (weekday(day) % 6 === 0 && day < lastDay) day = addDays(day, 1);
      const sights = weather.find(([months]) => months.includes(Number(day.slice(5, 7))))![1];
      const filled = freshScene(scene, { ...chatSlots, weather: sights }, dice, said);
      script.chat(room, `${day} ${time.slice(0, 4)}${dice.int(0, 9)}`, filled);
    }
  }
}
