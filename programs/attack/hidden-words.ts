import type { ReadApi } from "@pdpp/contract/operations";
import type { Attack } from "./attack.ts";
import { type Entry, withHiddenVault } from "./hidden-vault.ts";

const records = 3000;
const samples = 400;

const median = (values: readonly number[]): number => [...values].sort((a, b) => a - b)[values.length >> 1] ?? 0;

/** How far apart the medians of two random halves of one word's times are: what chance alone does. */
function noiseOf(times: readonly number[]): number {
  const apart = Array.from({ length: 200 }, () => {
    const mixed = times.map((time) => ({ time, at: Math.random() })).sort((a, b) => a.at - b.at);
    const half = mixed.length >> 1;
    const of = (part: typeof mixed) => median(part.map(({ time }) => time));
    return Math.abs(of(mixed.slice(0, half)) - of(mixed.slice(half)));
  });
  return apart.sort((a, b) => a - b)[Math.floor(apart.length * 0.99)] ?? 0;
}

async function timed(reader: ReadApi, q: string): Promise<number> {
  const began = process.hrtime.bigint();
  await reader.search({ q });
  return Number(process.hrtime.bigint() - began) / 1000;
}

/** What is hidden, beside what nobody has: words of the same length, alone and as beginnings. */
const pairs = [
  { of: "another connection", hidden: "zzvertigo", absent: "zzwortega" },
  { of: "a field", hidden: "qqmantelis", absent: "qqmuntolas" },
  { of: "another connection, by its beginning", hidden: "zzver*", absent: "zzwor*" },
  { of: "a field, by its beginning", hidden: "qqman*", absent: "qqmun*" },
];

/** Whoever may not see a word asks for it, letter by letter, and compares answers and times with those of words that nobody has. */
export const spellingOutHiddenWords: Attack = {
  name: "spelling out hidden words by prefixes and by time",
  engines: ["sqlite", "postgres"],
  run: (target) =>
    withHiddenVault(target, async ({ client, write }) => {
      const entries = (hidden: string, secret: string): Entry[] =>
        Array.from({ length: records }, (_, n) => ({ id: `e${n}`, text: `plain ${n % 97} ${hidden}`, secret }));
      await write("mine", entries("words of mine", "qqmantelis"));
      await write("other", entries("zzvertigo", "zzvertigo"));
      const reader = await client();
      const { data } = await reader.search({ q: "mine" });
      if (data.length === 0) throw new Error("the client finds not even its own words");
      const told: string[] = [];
      const echoed = async (q: string) => JSON.stringify(await reader.search({ q })).replaceAll(/zz\w*|qq\w*/g, "WORD");
      for (const { hidden, absent } of pairs) {
        for (let n = 2; n < hidden.length; n += 1) {
          const [one, two] = [hidden, absent].map((word) => `${word.replace("*", "").slice(0, n)}*`);
          if ((await echoed(one ?? "")) !== (await echoed(two ?? ""))) told.push(one ?? "");
        }
      }
      const figures: string[] = [];
      for (const { of, hidden, absent } of pairs) {
        const times = { hidden: [] as number[], absent: [] as number[] };
        for (let n = 0; n < samples; n += 1) {
          // Taken in turns, and each as often first as second.
          const order = n % 2 === 0 ? (["hidden", "absent"] as const) : (["absent", "hidden"] as const);
          for (const which of order) times[which].push(await timed(reader, which === "hidden" ? hidden : absent));
        }
        const apart = Math.abs(median(times.hidden) - median(times.absent));
        const noise = Math.max(noiseOf(times.absent), noiseOf(times.hidden), median(times.absent) * 0.02);
        if (apart > noise) told.push(`${of} by time`);
        figures.push(`${of}: ${apart.toFixed(0)} of ${median(times.absent).toFixed(0)} us, noise ${noise.toFixed(0)}`);
      }
      return { held: told.length === 0, figure: `${told.join(", ") || "nothing told"}; ${figures.join("; ")}` };
    }),
};
