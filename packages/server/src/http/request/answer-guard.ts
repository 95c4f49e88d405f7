import { PdppError } from "@pdpp/contract/errors";

/** Whether an answer that takes its time may still go on: its token must hold, and it must not be too old. */
export interface AnswerGuard {
  /** Throws when the answer must end; asks the vault now. */
  check(): Promise<void>;
  /** The same, for whoever asks often: the vault is asked once in a while. */
  checkSoon(): Promise<void>;
  /** When the answer is to be broken off though nobody has asked, in milliseconds from its beginning. */
  readonly breakOffMs: number;
}

/** A slow or endless reader must not hold what was granted once for ever. */
export const longestAnswerMs = 3_600_000;
/** What was sent since the last check is all that goes out after a revocation. */
const checkEveryMs = 100;
/** How long an answer that is too old waits for its reader to take the line that says so. */
const longestFarewellMs = 60_000;

export function answerGuard(stillHeld: () => Promise<void>, maxAnswerMs: number): AnswerGuard {
  const began = performance.now();
  let checked = began;
  const check = async (): Promise<void> => {
    if (performance.now() - began > maxAnswerMs) throw tooOld(maxAnswerMs);
    checked = performance.now();
    await stillHeld();
  };
  return {
    check,
    checkSoon: async () => {
      if (performance.now() - checked > checkEveryMs) await check();
    },
    breakOffMs: maxAnswerMs + Math.min(maxAnswerMs, longestFarewellMs),
  };
}

const tooOld = (maxAnswerMs: number): PdppError =>
  new PdppError(
    "resource_limit",
    `an answer takes ${Math.ceil(maxAnswerMs / 60_000)} minutes at most; continue with after=<the last record received>, or for a blob with Range`,
  );
