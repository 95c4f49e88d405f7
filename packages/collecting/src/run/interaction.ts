import type { JsonObject } from "@pdpp/contract/declaration";
import type { InteractionMessage } from "../protocol/messages.ts";
import { ProtocolViolation } from "../protocol/violation.ts";

export type InteractionAnswer =
  /** `keep`: use it for later runs, too. */
  { readonly status: "success"; readonly data: JsonObject; readonly keep?: boolean } | { readonly status: "cancelled" };

/** Asks a person. The signal says that the answer is no longer wanted. */
export type Interact = (request: InteractionMessage, signal: AbortSignal) => Promise<InteractionAnswer>;

const defaultTimeoutSeconds = 300;
const maxTimeoutSeconds = 3600;

export const getTimeoutSeconds = ({ timeout_seconds }: Pick<InteractionMessage, "timeout_seconds">): number =>
  Math.min(timeout_seconds ?? defaultTimeoutSeconds, maxTimeoutSeconds);

/** Answers the questions of a connector, one at a time, while its output is still read. */
export class Interactions {
  readonly #interact: Interact | undefined;
  readonly #send: (message: JsonObject) => void;
  readonly #onAnswer: (data: JsonObject) => void;
  readonly #stopped = new AbortController();
  #isWaiting = false;

  constructor(
    interact: Interact | undefined,
    { send, onAnswer }: { send: (message: JsonObject) => void; onAnswer: (data: JsonObject) => void },
  ) {
    this.#interact = interact;
    this.#send = send;
    this.#onAnswer = onAnswer;
  }

  get isWaiting(): boolean {
    return this.#isWaiting;
  }

  ask(request: InteractionMessage): void {
    const interact = this.#interact;
    if (interact === undefined) throw new ProtocolViolation("sent INTERACTION, which START did not offer");
    if (this.#isWaiting) throw new ProtocolViolation("sent INTERACTION while it waits for an answer");
    this.#isWaiting = true;
    void this.#answer(interact, request);
  }

  async #answer(interact: Interact, request: InteractionMessage): Promise<void> {
    const timeout = AbortSignal.timeout(getTimeoutSeconds(request) * 1000);
    const signal = AbortSignal.any([timeout, this.#stopped.signal]);
    const over = new Promise<{ readonly status: "timeout" | "cancelled" }>((resolve) =>
      signal.addEventListener("abort", () => resolve({ status: timeout.aborted ? "timeout" : "cancelled" })),
    );
    const asked = interact(request, signal).catch((): InteractionAnswer => ({ status: "cancelled" }));
    const answer = await Promise.race([asked, over]);
    this.#isWaiting = false;
    if (this.#stopped.signal.aborted) return;
    const data = "data" in answer ? { data: answer.data } : {};
    if ("data" in answer) this.#onAnswer(answer.data);
    this.#send({ type: "INTERACTION_RESPONSE", request_id: request.request_id, status: answer.status, ...data });
  }

  stop(): void {
    this.#stopped.abort();
  }
}
