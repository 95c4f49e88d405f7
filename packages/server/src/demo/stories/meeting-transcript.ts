import { fillFresh } from "../phrases.ts";
import { random, seedFrom } from "../random.ts";
import { meetingItems, meetingSlots, reactions, speakers } from "./meeting-phrases.ts";

/** The recording of a three-hour meeting, some 65,000 characters: the vault's one really long text. */
export function meetingTranscript(): string {
  const dice = random(seedFrom("owners meeting"));
  const said = new Set<string>();
  const lines: string[] = [];
  let seconds = 0;
  let last = "";
  const say = (speaker: string, text: string) => {
    const clock = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60, seconds % 60];
    lines.push(`[${clock.map((part) => String(part).padStart(2, "0")).join(":")}] ${speaker}: ${text}`);
    seconds += 4 + Math.floor(text.length / 11) + dice.int(0, 4);
    last = speaker;
  };
  for (const item of meetingItems) {
    lines.push("", `— ${item.title} —`, "");
    for (const [speaker, text] of item.opening) say(speaker, text);
    for (let remark = 0; remark < item.remarks; remark++) {
      const speaker = dice.pick(speakers.filter((name) => name !== last));
      const parts = [fillFresh(dice.pick(item.phrases), meetingSlots, dice, said)];
      if (dice.chance(0.6)) parts.unshift(fillFresh(dice.pick(reactions), meetingSlots, dice, said));
      if (dice.chance(0.55)) parts.push(fillFresh(dice.pick(item.phrases), meetingSlots, dice, said));
      say(speaker, parts.join(" "));
    }
    for (const [speaker, text] of item.closing) say(speaker, text);
  }
  return lines.join("\n").trim();
}
