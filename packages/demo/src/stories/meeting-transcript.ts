import { fillFresh } from "../phrases.ts";
import { type Random, random, seedFrom } from "../random.ts";
import { anecdotes, meetingItems, meetingSlots, reactions, speakers } from "./meeting-phrases.ts";

/** Deals all cards before any comes again, so that nobody repeats what was said a minute ago. */
function deck(cards: readonly string[], dice: Random): () => string {
  let left: string[] = [];
  return () => {
    if (left.length === 0) left = [...cards];
    return left.splice(dice.int(0, left.length - 1), 1)[0]!;
  };
}

const sentence = (text: string) =>
  text.replace(/(^|[.!?] )([a-z])/g, (_, before: string, first: string) => before + first.toUpperCase());

/** The recording of a three-hour meeting, more than 60,000 characters: the vault's one really long text. */
export function meetingTranscript(): string {
  const dice = random(seedFrom("owners meeting"));
  const said = new Set<string>();
  const fresh = (template: string) => sentence(fillFresh(template, meetingSlots, dice, said));
  const reaction = deck(reactions, dice);
  const anecdote = deck(anecdotes, dice);
  const lines: string[] = [];
  let seconds = 0;
  let last = "";
  const say = (speaker: string, text: string) => {
    const clock = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60, seconds % 60];
    lines.push(`[${clock.map((part) => String(part).padStart(2, "0")).join(":")}] ${speaker}: ${text}`);
    seconds += 8 + Math.floor(text.length / 7.5) + dice.int(0, 9);
    last = speaker;
  };
  for (const item of meetingItems) {
    const phrase = deck(item.phrases, dice);
    lines.push("", `— ${item.title} —`, "");
    for (const [speaker, text] of item.opening) say(speaker, text);
    for (let remark = 0; remark < item.remarks; remark++) {
      const speaker = dice.pick(speakers.filter((name) => name !== last));
      if (remark % 5 === 3) {
        say(speaker, fresh(anecdote()));
        continue;
      }
      const parts = [fresh(phrase())];
      if (dice.chance(0.6)) parts.unshift(fresh(reaction()));
      if (dice.chance(0.55)) parts.push(fresh(phrase()));
      say(speaker, parts.join(" "));
    }
    for (const [speaker, text] of item.closing) say(speaker, text);
  }
  return lines.join("\n").trim();
}
