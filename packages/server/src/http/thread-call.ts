import { PdppError, type ProblemCode, type ProblemDetails } from "@pdpp/contract/errors";
import type { OperationName } from "@pdpp/contract/operations";
import type { Warning } from "@pdpp/contract/wire";
import type { Disclosure } from "../read/context.ts";

/** What is said between the thread that has the sockets and those that do heavy reads. */

const heavyNames = ["search", "queryRecords", "fetch", "aggregate", "readField"] as const;
export type HeavyName = (typeof heavyNames)[number];

export interface ThreadCall {
  readonly name: HeavyName;
  /** Whose authority: a token's, or an owner's who is signed in. */
  readonly bearer: { readonly token: string } | { readonly ownerNo: number };
  readonly values: ReadonlyMap<string, unknown>;
  /** What is to be said with the answer beside what the reader says. */
  readonly warnings: readonly Warning[];
}

/** What the one word says that both threads see. */
export const verdicts = { wanted: 0, gone: 1, tooLong: 2 } as const;

export type ThreadRequest = ThreadCall & { readonly verdict: Int32Array<SharedArrayBuffer> };

export type ThreadAnswer =
  | { readonly bytes: Uint8Array<ArrayBuffer>; readonly disclosures: readonly Disclosure[] }
  | { readonly code: ProblemCode; readonly message: string; readonly details: ProblemDetails }
  | { readonly bug: string };

export const isHeavyName = (name: OperationName): name is HeavyName => heavyNames.some((heavy) => heavy === name);

export function ended(verdict: number): PdppError {
  return verdict === verdicts.gone
    ? new PdppError("request_timeout", "nobody waits for the answer any more")
    : new PdppError(
        "query_too_heavy",
        "this read took too long and was ended; ask for less: fewer or longer words, one stream, a shorter time",
      );
}
