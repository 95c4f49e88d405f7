import { PdppError } from "@pdpp/contract/errors";
import { scaleTimeLimit } from "../../../time-limits.ts";
import type { Engine, ReadTransaction } from "../engine.ts";
import { raw, sql } from "../sql.ts";
import { isRecoveryConflict } from "./errors.ts";
import { kinds, type PoolKind } from "./kinds.ts";
import { createStatementNames } from "./statement-names.ts";
import { openTransactions } from "./transactions.ts";

/** The state of the primary that a request saw when it was authenticated. A read must not see an earlier one. */
export interface Viewpoint {
  readonly ownerNo: number;
  readonly nextVersion: number;
  readonly indexRevision: number;
  readonly catalogRevision: number;
}

/**
 * A streaming replica of the vault's database. It relieves the primary of reads, and never decides who may read what. A read that the
 * replica fails is done again on the primary.
 */
export interface Replica {
  /** An engine whose reads see at least `viewpoint`. They use the primary whenever the replica cannot serve them. */
  readFrom(primary: Engine, viewpoint: Viewpoint): Engine;
  close(): Promise<void>;
}

export interface ReplicaOptions {
  readonly url: string;
  /** The vault's secret: a replica of another vault is not used. */
  readonly secret: string;
  readonly isThread: boolean;
  readonly onError: (error: unknown) => void;
}

/** How far what has no version, such as the state of sources, may lag behind. */
const maxLagSeconds = 10;
/** How long a replica that failed is left alone. */
const retryMs = scaleTimeLimit(5000);
const connectMs = scaleTimeLimit(1000);
const threadConnections = 2;

const light: PoolKind = { ...kinds.light, connectMs };

class NotReached extends Error {}

export function openReplica({ url, secret, isThread, onError }: ReplicaOptions): Replica {
  const names = createStatementNames();
  const lightPool = openTransactions(url, isThread ? { ...light, connections: threadConnections } : light, names);
  const pools = { light: lightPool, heavy: isThread ? lightPool : openTransactions(url, kinds.heavy, names) };
  let retryAt = 0;
  let isFailing = false;
  let isVerified = false;
  const leaveAlone = (error: unknown): void => {
    if (!isFailing) onError(error);
    isFailing = true;
    retryAt = performance.now() + retryMs;
  };
  /** Asked on first use, because the server must start without its replica. */
  const verify = async (): Promise<void> => {
    if (isVerified) return;
    const [row] = await lightPool.select<{ value: string }>(raw("SELECT value FROM meta WHERE name = 'secret'"));
    if (row?.value !== secret) throw createForeignError();
    isVerified = true;
  };

  const readFrom: Replica["readFrom"] = (primary, viewpoint) => ({
    ...primary,
    async read(work, weight = "light") {
      if (performance.now() < retryAt) return primary.read(work, weight);
      let hasBegun = false;
      try {
        await verify();
        const found = await pools[weight].run(async (on) => {
          if (!(await hasReached(on, viewpoint))) throw new NotReached();
          hasBegun = true;
          return work(on);
        });
        isFailing = false;
        return found;
      } catch (error) {
        const isEarly = error instanceof NotReached || isRecoveryConflict(error);
        if (!isEarly && hasBegun && !isUnavailable(error)) throw error;
        if (!isEarly) leaveAlone(error);
        return primary.read(work, weight);
      }
    },
  });
  return {
    readFrom,
    close: async () => void (await Promise.all([...new Set(Object.values(pools))].map(({ end }) => end()))),
  };
}

const createForeignError = (): PdppError =>
  new PdppError("unavailable", "the database of --database-read-url is not a replica of this vault, so it is not used");

const isUnavailable = (error: unknown): boolean => error instanceof PdppError && error.code === "unavailable";

/**
 * Whether a read sees what the request saw. What is written to the vault without a version may be late, but not by more than a bound:
 * the replica must be connected to the primary and must have replayed recent transactions.
 */
async function hasReached(on: ReadTransaction, viewpoint: Viewpoint): Promise<boolean> {
  const row = await on.one<{ is_current: boolean | null }>(
    sql`SELECT o.next_version >= ${viewpoint.nextVersion} AND o.index_revision >= ${viewpoint.indexRevision}
      AND (SELECT CAST(value AS bigint) FROM meta WHERE name = 'catalog_revision') >= ${viewpoint.catalogRevision}
      AND EXISTS (SELECT 1 FROM pg_stat_wal_receiver)
      AND (pg_last_wal_receive_lsn() = pg_last_wal_replay_lsn()
        OR pg_last_xact_replay_timestamp() > now() - ${maxLagSeconds} * interval '1 second') AS is_current
      FROM owner AS o WHERE o.owner_no = ${viewpoint.ownerNo}`,
  );
  return row?.is_current === true;
}
