import { PdppError } from "@pdpp/contract/errors";
import { type Input, type OperationName, operations, type ReadApi } from "@pdpp/contract/operations";
import type { OwnerApi } from "@pdpp/contract/owner";
import { authenticate } from "../auth/authenticate.ts";
import { tokenHash } from "../auth/tokens.ts";
import { createOwner } from "../owner/owner.ts";
import { createReader } from "../read/reader.ts";
import type { Scope } from "../store/access/scope.ts";
import type { Store } from "../store/store.ts";
import { type AccessNote, accessNote } from "./access-note.ts";
import { bearerOf, challenged } from "./bearer.ts";
import { checkClientQueries } from "./client-queries.ts";
import type { HostPolicy } from "./hosts.ts";
import { requestLimiter } from "./limiter.ts";
import { checkedInput } from "./request-input.ts";

/**
 * What happens to every request, whether it comes over REST or MCP: authenticate, limit, check, run, note. A surface finds out
 * what is asked, and says the answer in its own form.
 */

export interface PipelineOptions extends HostPolicy {
  readonly store: Store;
  readonly now: () => number;
  /** Whether clients may filter, expand and use views; the owner always may. */
  readonly clientQueries: boolean;
  readonly onBug: (error: unknown, requestId: string) => void;
}

export interface Pipeline {
  /** Authenticates and limits; `metadata` is the path where a caller without a token learns how to get one. */
  admit(request: Request, requestId: string, metadata: string): Promise<Session>;
}

/** One request of one token. */
export interface Session {
  readonly token: string;
  readonly scope: Scope;
  /** What one call asks and gets: one entry in the access log. */
  open(): Exchange;
  /** The request is over and no longer counts against the limit. */
  end(): void;
}

export interface Exchange {
  /** Checks and runs an operation. One that fails is noted at once. */
  run<N extends OperationName, T>(asked: Asked<N>, work: (bound: Bound, input: Input<N>) => Promise<T>): Promise<T>;
  /** The answer has gone out, as much of it as was taken; notes what was let out. */
  sent(status: number, bytes: number): void;
}

interface Asked<N extends OperationName> {
  readonly name: N;
  /** The stream that was asked for, as far as it is known before the input is checked. */
  readonly stream: string | undefined;
  readonly values: () => ReadonlyMap<string, unknown>;
}

/** What an operation works with: bound to whoever asks. */
export interface Bound {
  readonly reader: ReadApi;
  /** Of an owner's token only; a client's has none. */
  readonly owner: () => OwnerApi;
}

const requestsPerToken = 64;

export function createPipeline(options: PipelineOptions): Pipeline {
  const begin = requestLimiter(requestsPerToken);
  return {
    async admit(request, requestId, metadata) {
      const token = bearerOf(request, options, metadata);
      const end = begin(tokenHash(token));
      try {
        const scope = await authenticate(options.store, token, options.now());
        return { token, scope, end, open: () => exchange(options, scope, requestId) };
      } catch (error) {
        end();
        throw challenged(error, request, options, metadata);
      }
    },
  };
}

function exchange({ store, now, clientQueries }: PipelineOptions, scope: Scope, requestId: string): Exchange {
  let note: AccessNote | undefined;
  const sent = (status: number, bytes: number): void => {
    note?.done(status, bytes);
    note = undefined;
  };
  return {
    sent,
    async run({ name, stream, values }, work) {
      const current = note ?? accessNote({ store, now }, scope, name, stream, requestId);
      note = current;
      try {
        if (operations[name].audience === "owner") checkOwner(scope);
        const input = checkedInput(name, values());
        checkClientQueries(input, name, scope, clientQueries);
        const reader = createReader({ store, scope, disclose: current.disclose });
        const owner = () => {
          checkOwner(scope);
          return createOwner({ store, ownerNo: scope.ownerNo, now });
        };
        return await work({ reader, owner }, input);
      } catch (error) {
        sent(error instanceof PdppError ? error.status : 500, 0);
        throw error;
      }
    },
  };
}

function checkOwner({ tokenKind }: Scope): void {
  if (tokenKind === "owner") return;
  throw new PdppError("permission_error", "only the owner may do this; a client's token can only read");
}
