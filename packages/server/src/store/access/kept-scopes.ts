import { LRUCache } from "lru-cache";
import type { Engine } from "../engine/engine.ts";
import { accessRevisionQuery } from "./access-revision.ts";
import type { Scope } from "./scope.ts";

/**
 * Compiled scopes, by the hash of their token. A scope is used only while the access revision is the one it was compiled from and
 * nothing in it has expired. Whenever that is uncertain, it must be compiled again.
 */
export interface KeptScopes {
  find(tokenHash: string, now: number): Scope | undefined;
  /** `revision` must be of the same moment as everything the scope was compiled from. */
  keep(tokenHash: string, kept: KeptScope): void;
}

interface KeptScope {
  readonly scope: Scope;
  readonly revision: string;
  /** When the first grant, or the token, expires. */
  readonly expiresAt: number;
}

const maxScopes = 1000;
/** Fields, connections and records named in all scopes together. */
const maxSize = 500_000;

export function openKeptScopes(engine: Engine): KeptScopes {
  const readRevision = engine.watch?.(accessRevisionQuery);
  const scopes = new LRUCache<string, KeptScope>({ max: maxScopes, maxSize, sizeCalculation: measureScope });
  return {
    find(tokenHash, now) {
      const kept = scopes.get(tokenHash);
      if (kept === undefined || readRevision === undefined) return undefined;
      const revision = readRevision();
      if (revision === undefined) return undefined;
      if (revision === kept.revision && now < kept.expiresAt) return kept.scope;
      scopes.delete(tokenHash);
      return undefined;
    },
    keep(tokenHash, kept) {
      if (readRevision !== undefined) scopes.set(tokenHash, kept);
    },
  };
}

const measureScope = ({ scope }: KeptScope): number =>
  scope.streams.reduce(
    (sum, { connections, fields, resources }) =>
      sum + connections.length + (fields?.size ?? 0) + (resources?.length ?? 0),
    1,
  );
