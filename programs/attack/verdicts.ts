import type { Outcome } from "./attack.ts";

/** The verdicts that the process of one engine sends. */
export function parseVerdicts(received: unknown): Outcome["held"][] {
  const verdicts: unknown[] = Array.isArray(received) ? received : [received];
  return verdicts.map((verdict) => {
    if (typeof verdict !== "boolean" && verdict !== "not tried") throw new Error(`not a verdict: ${verdict}`);
    return verdict;
  });
}

/** Only attacks that were tried and held count as held. */
export function summarizeVerdicts(verdicts: readonly Outcome["held"][]): { isHeld: boolean; text: string } {
  const held = verdicts.filter((verdict) => verdict === true).length;
  const untried = verdicts.filter((verdict) => verdict === "not tried").length;
  const isHeld = held === verdicts.length && held > 0;
  const text = `${held} held, ${verdicts.length - held - untried} failed, ${untried} not tried`;
  return { isHeld, text: isHeld ? `all ${held} attacks held` : text };
}
