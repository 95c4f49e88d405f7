import type { Outcome } from "./attack.ts";

/** The attempts of one attack. The figure names those that got through. */
export interface Trials {
  note(what: string, isHeld: boolean): void;
  /** `43 of 44 forgeries were rejected; not: ...` */
  conclude(text: string): Outcome;
}

const maxNamed = 5;

export function createTrials(): Trials {
  let count = 0;
  const failed: string[] = [];
  return {
    note(what, isHeld) {
      count += 1;
      if (!isHeld) failed.push(what);
    },
    conclude(text) {
      const named = failed.slice(0, maxNamed).join("; ");
      const more = failed.length > maxNamed ? ` and ${failed.length - maxNamed} more` : "";
      return {
        held: count === 0 ? "not tried" : failed.length === 0,
        figure: `${count - failed.length} of ${count} ${text}${failed.length === 0 ? "" : `; not: ${named}${more}`}`,
      };
    },
  };
}
