import { z } from "zod";

/** The messages between a thread and its starter. Each side checks what it receives; the payloads have checks of their own. */

const error = z.object({
  message: z.string(),
  stack: z.string().optional(),
  /** Own properties of the error, such as `code`. Cloning an Error for another thread would drop them. */
  properties: z.record(z.string(), z.union([z.string(), z.number()])),
});
export type SentError = z.infer<typeof error>;

const request = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("request"), id: z.int(), request: z.unknown() }),
  z.object({ kind: z.literal("close") }),
]);
export type RequestMessage = z.infer<typeof request>;

const answer = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("answer"), id: z.int(), answer: z.unknown() }),
  z.object({ kind: z.literal("error"), id: z.int(), error }),
]);
export type AnswerMessage = z.infer<typeof answer>;

export const parseRequest = (message: unknown): RequestMessage => request.parse(message);
export const parseAnswer = (message: unknown): AnswerMessage => answer.parse(message);

export function encodeError(thrown: unknown): SentError {
  if (!(thrown instanceof Error)) return { message: String(thrown), properties: {} };
  const properties = Object.entries(thrown).filter(
    ([, value]) => typeof value === "string" || typeof value === "number",
  );
  return {
    message: thrown.message,
    ...(thrown.stack === undefined ? {} : { stack: thrown.stack }),
    properties: Object.fromEntries(properties),
  };
}

export function decodeError({ message, stack, properties }: SentError): Error {
  return Object.assign(new Error(message), properties, stack === undefined ? {} : { stack });
}
