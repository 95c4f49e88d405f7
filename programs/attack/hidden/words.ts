import type { ReadApi } from "@pdpp/contract/operations";
import type { Attack } from "../attack.ts";
import { type Entry, withHiddenVault } from "./hidden-vault.ts";

const records = 3000;
const samples = 400;

const calculateMedian = (values: readonly number[]): number =>
  [...values].sort((a, b) => a - b)[values.length >> 1] ?? 0;

/** The difference between the medians of two random halves of one word's times: the noise level. */
function estimateNoise(times: readonly number[]): number {
  const apart = Array.from({ length: 200 }, () => {
    const mixed = times.map((time) => ({ time, at: Math.random() })).sort((a, b) => a.at - b.at);
    const half = mixed.length >> 1;
    const getMedian = (part: typeof mixed) => calculateMedian(part.map(({ time }) => time));
    return Math.abs(getMedian(mixed.slice(0, half)) - getMedian(mixed.slice(half)));
  });
  return apart.sort((a, b) => a - b)[Math.floor(apart.length * 0.99)] ?? 0;
}

async function timeSearch(reader: ReadApi, q: string): Promise<number> {
  const began = process.hrtime.bigint();
  await reader.search({ q });
  return Number(process.hrtime.bigint() - began) / 1000;
}

/** Hidden words next to words that no record has: of equal length, whole and as prefixes. */
const pairs = [
  { of: "another connection", hidden: "zzvertigo", absent: "zzwortega" },
  { of: "a field", hidden: "qqmantelis", absent: "qqmuntolas" },
  { of: "another connection, by prefix", hidden: "zzver*", absent: "zzwor*" },
  { of: "a field, by prefix", hidden: "qqman*", absent: "qqmun*" },
];

/** A client searches for hidden words letter by letter, and compares results and times with words that no record has. */
export const spellingOutHiddenWords: Attack = {
  name: "guessing hidden words by prefix and by timing",
  engines: ["sqlite", "postgres"],
  run: (target) =>
    withHiddenVault(target, async ({ client, write }) => {
      const buildEntries = (hidden: string, secret: string): Entry[] =>
        Array.from({ length: records }, (_, n) => ({ id: `e${n}`, text: `plain ${n % 97} ${hidden}`, secret }));
      await write("mine", buildEntries("words of mine", "qqmantelis"));
      await write("other", buildEntries("zzvertigo", "zzvertigo"));
      const reader = await client();
      const { data } = await reader.search({ q: "mine" });
      if (data.length === 0) throw new Error("the client does not find its own words");
      const told: string[] = [];
      const searchMasked = async (q: string) =>
        JSON.stringify(await reader.search({ q })).replaceAll(/zz\w*|qq\w*/g, "WORD");
      for (const { hidden, absent } of pairs) {
        for (let n = 2; n < hidden.length; n += 1) {
          const [one, two] = [hidden, absent].map((word) => `${word.replace("*", "").slice(0, n)}*`);
          if ((await searchMasked(one ?? "")) !== (await searchMasked(two ?? ""))) told.push(one ?? "");
        }
      }
      const figures: string[] = [];
      for (const { of, hidden, absent } of pairs) {
        const times = { hidden: [] as number[], absent: [] as number[] };
        for (let n = 0; n < samples; n += 1) {
          // Interleaved, and each word goes first equally often.
          const order = n % 2 === 0 ? (["hidden", "absent"] as const) : (["absent", "hidden"] as const);
          for (const which of order) times[which].push(await timeSearch(reader, which === "hidden" ? hidden : absent));
        }
        const apart = Math.abs(calculateMedian(times.hidden) - calculateMedian(times.absent));
        const noise = Math.max(
          estimateNoise(times.absent),
          estimateNoise(times.hidden),
          calculateMedian(times.absent) * 0.02,
        );
        if (apart > noise) told.push(`${of} by time`);
        figures.push(
          `${of}: ${apart.toFixed(0)} of ${calculateMedian(times.absent).toFixed(0)} us, noise ${noise.toFixed(0)}`,
        );
      }
      return { held: told.length === 0, figure: `${told.join(", ") || "nothing told"}; ${figures.join("; ")}` };
    }),
};
