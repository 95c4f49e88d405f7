import type { NoteFile } from "../drafts.ts";
import { addDays, firstDay, lastDay, monthName } from "../local-time.ts";
import { fillFresh } from "../phrases.ts";
import { coast, hills, page } from "../pictures.ts";
import type { Random } from "../random.ts";
import type { Script } from "../script.ts";
import { weather } from "./chat-scenes.ts";
import { lists, noteSlots, recipes } from "./note-phrases.ts";

const sentence = (text: string) =>
  text.replace(/(^|[.!?]\s+)([a-z])/g, (_, before: string, first: string) => before + first.toUpperCase());

const shapes = [
  "{weather}. {mila}. {jonas}. {me}.\n\nGood this week: {good}.",
  "{mila}. {weather}, so we stayed in. {me}.\n\nGood: {good}, {good}.",
  "{me}. {jonas}; {mila}.\n\n{weather}. Good this week: {good}.",
  "{weather}. Not much to tell, and that's the news. {jonas}. Good: {good}.",
];

function monthPicture(day: string): NoteFile {
  const month = monthName(day).toLowerCase();
  const sky = ["december", "january", "november"].includes(month) ? "night" : month === "february" ? "storm" : "day";
  const draw = Number(day.slice(5, 7)) % 3;
  return {
    filename: `${day.slice(0, 7)}-${month}.png`,
    mimeType: "image/png",
    caption: draw === 2 ? `Mila's diary page, ${monthName(day)}` : `${monthName(day)}, from our window`,
    bytes: () => (draw === 0 ? coast(month, sky) : draw === 1 ? hills(month, sky) : page(month, [90, 40, 110])),
  };
}

export function everydayNotes(script: Script, dice: Random): void {
  const said = new Set<string>();
  let month = "";
  for (let week = 1, day = addDays(firstDay, 1); day <= lastDay; week++, day = addDays(day, 7)) {
    const first = day.slice(0, 7) !== month;
    month = day.slice(0, 7);
    const sights = weather.find(([months]) => months.includes(Number(day.slice(5, 7))))![1];
    const me = noteSlots.me.filter((line) => !(/ran before/.test(line) && day >= "2026-03-07" && day < "2026-06-06"));
    script.note({
      at: `${day} 21:${dice.int(10, 59)}`,
      title: `Week ${week}: ${day}`,
      notebook: "Journal",
      tags: ["journal"],
      body: sentence(fillFresh(dice.pick(shapes), { ...noteSlots, weather: sights, me }, dice, said)),
      files: first ? [monthPicture(day)] : [],
    });
  }
  for (const [index, [title, body]] of recipes.entries()) {
    script.note({
      at: `${addDays(firstDay, 20 + index * 47)} 18:20`,
      title,
      notebook: "Recipes",
      tags: ["recipe"],
      body,
    });
  }
  for (const [at, title, notebook, body] of lists) script.note({ at, title, notebook, body });
}
