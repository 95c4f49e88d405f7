import type { EngineName } from "@pdpp/test-support/vaults/new-vault";

/** An attack on a vault, in its long form; a test runs the short form. */
export interface Attack {
  /** The attempt in a few words: `reading on after a revocation`. */
  readonly name: string;
  readonly engines: readonly EngineName[];
  /** Takes longer than all the others together: runs only if `--only` names it. */
  readonly isLong?: true;
  run(target: Target): Promise<Outcome>;
}

/** An empty place for a vault, deleted after the attack. */
export interface Target {
  readonly engine: EngineName;
  readonly dataDir: string;
  /** For PostgreSQL: an empty database. */
  readonly databaseUrl?: string;
  /** How often to repeat what happens at random moments; each attack has its own default. */
  readonly rounds?: number;
  /** How long to go on with what takes as long as one wants. */
  readonly minutes?: number;
}

/** The vault could not be prepared for the attack, which says nothing about how it holds. */
export class NotTriedError extends Error {}

export async function prepare<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    throw new NotTriedError(`the vault could not be prepared: ${error instanceof Error ? error.message : error}`);
  }
}

export interface Outcome {
  /** An attack that could not run, or not be judged on a machine this busy, was not tried. It does not count as held. */
  readonly held: boolean | "not tried";
  /** The measurement: `p99 31 ms of 2,000 reads`. */
  readonly figure: string;
}
