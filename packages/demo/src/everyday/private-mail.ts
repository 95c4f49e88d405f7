import { addDays, addMinutes, daysBetween, firstDay, lastDay } from "../local-time.ts";
import { fill, fillFresh, settle } from "../phrases.ts";
import type { Random } from "../random.ts";
import type { Script } from "../script.ts";
import { answers, letterSlots, senders } from "./private-letters.ts";

export function everydayPrivateMail(script: Script, dice: Random): void {
  const said = new Set<string>();
  for (const sender of senders) {
    let day = addDays(firstDay, dice.int(1, sender.every));
    for (let index = 0; day < lastDay; index++, day = addDays(day, sender.every + dice.int(-2, 2))) {
      const slots = settle(letterSlots, ["small", "project", "gruss", "bird", "vegetable", "frage"], dice);
      const [subject, body] = sender.templates[index % sender.templates.length]!;
      const mail = script.mail({
        box: "private",
        at: `${day} ${dice.pick(["06:05", "07:40", "09:12", "11:58", "16:31", "20:47"])}`,
        from: sender.from,
        subject: fillFresh(subject, slots, dice, said),
        body: fillFresh(body, slots, dice, said),
        labels: sender.labels,
        ...(sender.list ? { list: sender.list } : {}),
      });
      const possible = answers[sender.from];
      if (possible && daysBetween(day, lastDay) > 3 && dice.chance(0.75)) {
        const at = addMinutes(`${addDays(day, dice.int(0, 2))} 21:04`, dice.int(0, 50));
        const answer = script.reply(mail, at, "ada", fillFresh(dice.pick(possible), slots, dice, said));
        if (sender.from === "nell" && dice.chance(0.5)) {
          script.reply(
            answer,
            addMinutes(at, 620),
            "nell",
            fill(
              "[Perfect|Done|Marvellous]. [Bring boots|I'll cook|Don't bring wine, I have {project} to pay for].",
              letterSlots,
              dice,
            ),
          );
        }
      }
    }
  }
}
