import type { FormValues, SourceQuestion } from "@pdpp/console/sources/source-service";
import { PdppError } from "@pdpp/contract/errors";
import { getTimeoutSeconds, type Interact, type InteractionAnswer } from "../run/interaction.ts";
import { listAnswerFields, pickValues } from "./form-fields.ts";

interface OpenQuestion extends SourceQuestion {
  answer(answer: InteractionAnswer): void;
}

/** The questions of running connectors that wait for their owners, by source. */
export class Questions {
  readonly #open = new Map<string, OpenQuestion>();

  find(key: string): SourceQuestion | undefined {
    return this.#open.get(key);
  }

  /** Asks the owner of the source, until the signal aborts. */
  ask(key: string, now: () => number): Interact {
    return (request, signal) =>
      new Promise((resolve) => {
        const end = (answer: InteractionAnswer): void => {
          if (this.#open.get(key) === question) this.#open.delete(key);
          resolve(answer);
        };
        const question: OpenQuestion = {
          id: request.request_id,
          kind: request.kind,
          message: request.message.slice(0, maxMessageChars),
          fields: listAnswerFields(request),
          expiresAt: now() + getTimeoutSeconds(request) * 1000,
          answer: end,
        };
        this.#open.set(key, question);
        signal.addEventListener("abort", () => end({ status: "cancelled" }));
      });
  }

  /** Without values the question is declined. */
  answer(key: string, questionId: string, values: FormValues | undefined): void {
    const question = this.#open.get(key);
    if (question?.id !== questionId)
      throw new PdppError("not_found", "this question is no longer open. Run the source again");
    question.answer(
      values === undefined ? { status: "cancelled" } : { status: "success", data: pickValues(question.fields, values) },
    );
  }
}

const maxMessageChars = 1000;
