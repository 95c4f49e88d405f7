import type { Json } from "@pdpp/contract/declaration";
import type { Warning } from "@pdpp/contract/wire";
import type { Measure } from "@pdpp/evidence/sizes/measure";
import type { Scope, StreamScope } from "../store/access/scope.ts";
import type { Store } from "../store/store.ts";
import type { CursorKeys } from "./cursor.ts";

export interface Disclosure {
  readonly connectionIds: readonly string[];
  readonly stream: string | null;
  readonly records: number;
  readonly versions: readonly number[];
}

export interface ReadContext {
  readonly store: Store;
  readonly scope: Scope;
  readonly keys: CursorKeys;
  now(): number;
  disclose(disclosure: Disclosure): void;
  throwIfStopped(): void;
  /** Whether heavy reads belong to another thread: a read that turns out to be heavy then answers `tooHeavy`. */
  readonly isLightOnly: boolean;
  /** The origin of the owner's pages, for citation links; only in a server. */
  readonly pagesUrl?: string | undefined;
  readonly measure: Measure;
  /** Throws when the reader lost its authority. Called before each page of a long answer. */
  checkStillValid(): Promise<void>;
}

/** The answer of a light-only reader to a heavy read. Nothing was disclosed; a reading thread does the whole read again. */
export const tooHeavy: unique symbol = Symbol("too heavy for this thread");
export type TooHeavy = typeof tooHeavy;

export const createBinding = (stream: StreamScope, kind: string, query: Json): Json => [
  kind,
  stream.ownerNo,
  stream.grantId ?? null,
  stream.connectorKey,
  stream.stream.declaration.name,
  stream.connections.map(({ id }) => id),
  query,
];

export const defaultLimit = 25;
export const maxLimit = 100;

/** The page size: 25 by default, 100 at most, with a warning if it differs from what was asked. */
export function clampPageLimit(given: number | undefined): { limit: number; warnings: Warning[] } {
  if (given === undefined) return { limit: defaultLimit, warnings: [] };
  const asked = Math.floor(given);
  const limit = asked >= 1 ? Math.min(asked, maxLimit) : defaultLimit;
  if (limit === asked) return { limit, warnings: [] };
  const message =
    asked > maxLimit
      ? `limit is at most ${maxLimit}`
      : `limit is not a number from 1 to ${maxLimit}; ${defaultLimit} is used`;
  const requested = Number.isFinite(asked) ? asked : String(given);
  return {
    limit,
    warnings: [
      { code: "limit_clamped", message, param: "limit", detail: { requested_limit: requested, max_limit: maxLimit } },
    ],
  };
}
