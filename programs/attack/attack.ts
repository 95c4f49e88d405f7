import type { EngineName } from "@pdpp/test-support/vaults/new-vault";

/** One thing that somebody may try against a vault. Its short form is a test; this is the long one. */
export interface Attack {
  /** What the attacker tries, in a few words: `reading on after a revocation`. */
  readonly name: string;
  readonly engines: readonly EngineName[];
  run(target: Target): Promise<Outcome>;
}

/** An empty place for a vault; it is removed when the attack is over. */
export interface Target {
  readonly engine: EngineName;
  readonly dataDir: string;
  /** Of PostgreSQL: an empty database. */
  readonly databaseUrl?: string;
}

export interface Outcome {
  readonly held: boolean;
  /** What was measured: `p99 31 ms of 2,000 reads`. */
  readonly figure: string;
}
