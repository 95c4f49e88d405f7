import type { Scope } from "../../store/access/scope.ts";
import type { PipelineOptions } from "./pipeline.ts";

/** An authenticated request. It counts against its token's limit until `end()`. */
export interface Session {
  readonly options: PipelineOptions;
  readonly requestId: string;
  readonly token: string;
  readonly scope: Scope;
  /** Identifies the token in queues and limits. */
  readonly key: string;
  readonly signal: AbortSignal;
  /** Throws when the token or its grants no longer hold. */
  checkStillValid(): Promise<void>;
  /** Waits until other tokens have had their turn. */
  waitForTurn(): Promise<void>;
  /** The same before each call, except the first: the request waited when it was admitted. */
  takeTurn(): Promise<void>;
  /** Does light work, with at most a few others of the same token. */
  limitWork<T>(work: () => Promise<T>): Promise<T>;
  /** The answer is sent piece by piece, and the request counts until `endStream()`. */
  beginStream(): void;
  endStream(): void;
  /** Ends a request whose answer is complete or failed; one that streams ends with its stream. */
  end(): void;
}

type Admitted = Omit<Session, "takeTurn" | "beginStream" | "endStream" | "end">;

export function createSession(admitted: Admitted, release: () => void): Session {
  let calls = 0;
  let isStreaming = false;
  return {
    ...admitted,
    async takeTurn() {
      calls += 1;
      if (calls > 1) await admitted.waitForTurn();
    },
    beginStream() {
      isStreaming = true;
    },
    endStream() {
      if (isStreaming) release();
    },
    end() {
      if (!isStreaming) release();
    },
  };
}
