import type { Outcome } from "./attack.ts";

/** Only attacks that were tried and held count as held. */
export function summarizeVerdicts(verdicts: readonly Outcome["held"][]): { isHeld: boolean; text: string } {
  const held = verdicts.filter((verdict) => verdict === true).length;
  const untried = verdicts.filter((verdict) => verdict === "not tried").length;
  const isHeld = held === verdicts.length && held > 0;
  const text = `${held} held, ${verdicts.length - held - untried} failed, ${untried} not tried`;
  return { isHeld, text: isHeld ? `all ${held} attacks held` : text };
}
