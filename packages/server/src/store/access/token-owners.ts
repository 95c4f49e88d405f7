import { LRUCache } from "lru-cache";
import type { ReadTransaction } from "../engine/engine.ts";
import { sql } from "../engine/sql.ts";

/**
 * Whose token has which hash, so that everything else about it is read by its owner. A token never changes its owner, so what was found
 * once holds for good; whether the token still exists is asked each time.
 */
export interface TokenOwners {
  find(on: Pick<ReadTransaction, "all">, tokenHash: string): Promise<number | undefined>;
}

const maxCachedTokens = 10_000;

export function createTokenOwners(): TokenOwners {
  const owners = new LRUCache<string, number>({ max: maxCachedTokens });
  return {
    async find(on, tokenHash) {
      const cached = owners.get(tokenHash);
      if (cached !== undefined) return cached;
      const [row] = await on.all<{ no: number }>(sql`SELECT owner_no AS no FROM token WHERE token_hash = ${tokenHash}`);
      if (row !== undefined) owners.set(tokenHash, row.no);
      return row?.no;
    },
  };
}
