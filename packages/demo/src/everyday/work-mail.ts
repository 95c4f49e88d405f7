import { addDays, addMinutes, daysBetween, longDate, weekday } from "../local-time.ts";
import { fillFresh, settle } from "../phrases.ts";
import type { Random } from "../random.ts";
import type { Script } from "../script.ts";
import { workplaces } from "./work-topics.ts";

const threadsPerJob = 84;

export function everydayWorkMail(script: Script, dice: Random): void {
  const said = new Set<string>();
  for (const place of workplaces) {
    const days = daysBetween(place.from, place.until);
    for (let index = 0; index < threadsPerJob; index++) {
      let day = addDays(place.from, Math.floor((index * days) / threadsPerJob));
      while (weekday(day) % 6 === 0) day = addDays(day, 1);
      // Ada was away: two weeks of holiday in summer and the days around Christmas.
      if ((day >= "2026-07-18" && day <= "2026-08-02") || (day >= "2025-12-24" && day <= "2026-01-02")) continue;
      const [subject, ...mails] = place.threads[index % place.threads.length]!;
      const other = dice.pick(place.people);
      const name = (who: string) => (who === "other" ? other : who === "boss" ? place.boss : who);
      const slots = settle({ ...place.slots, week: [longDate(day)] }, ["number", "day", "hour"], dice);
      const filled = (text: string) => {
        const written = fillFresh(text, slots, dice, said);
        return written.charAt(0).toUpperCase() + written.slice(1);
      };
      let at = `${day} ${dice.pick(["08:47", "09:20", "10:35", "11:12", "13:40", "14:26"])}`;
      const [first, ...rest] = mails;
      const from = name(first![0]);
      const partner = mails.map(([who]) => name(who)).find((who) => who !== "ada") ?? place.boss;
      let last = script.mail({
        box: "work",
        at,
        from,
        to: [from === "ada" ? partner : "ada"],
        subject: filled(subject),
        body: filled(first![1]),
      });
      for (const [who, text] of rest) {
        at = addMinutes(at, dice.int(9, 110));
        last = script.reply(last, at, name(who), filled(text));
      }
    }
  }
}
