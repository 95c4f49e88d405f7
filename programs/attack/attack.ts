import type { EngineName } from "@pdpp/test-support/vaults/new-vault";

/** An attack on a vault, in its long form; a test runs the short form. */
export interface Attack {
  /** The attempt in a few words: `reading on after a revocation`. */
  readonly name: string;
  readonly engines: readonly EngineName[];
  run(target: Target): Promise<Outcome>;
}

/** An empty place for a vault, deleted after the attack. */
export interface Target {
  readonly engine: EngineName;
  readonly dataDir: string;
  /** For PostgreSQL: an empty database. */
  readonly databaseUrl?: string;
}

export interface Outcome {
  readonly held: boolean;
  /** The measurement: `p99 31 ms of 2,000 reads`. */
  readonly figure: string;
}
