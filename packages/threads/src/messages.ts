/**
 * The messages between a thread and its starter. Each side checks what it receives; the payloads have checks of their own. Checked by
 * hand, because zod takes 6 MB of memory in each thread.
 */

export interface SentError {
  readonly message: string;
  readonly stack?: string | undefined;
  /** Own properties of the error, such as `code`. Cloning an Error for another thread would drop them. */
  readonly properties: Readonly<Record<string, string | number>>;
}

export type RequestMessage =
  | { readonly kind: "request"; readonly id: number; readonly request: unknown }
  | { readonly kind: "close" };

export type AnswerMessage =
  | { readonly kind: "answer"; readonly id: number; readonly answer: unknown }
  | { readonly kind: "error"; readonly id: number; readonly error: SentError };

export function parseRequest(message: unknown): RequestMessage {
  if (isObject(message)) {
    const { kind, id, request } = message;
    if (kind === "close") return { kind };
    if (kind === "request" && isId(id)) return { kind, id, request };
  }
  throw new TypeError("The message is not a request to a thread.");
}

export function parseAnswer(message: unknown): AnswerMessage {
  if (isObject(message)) {
    const { kind, id, answer, error } = message;
    if (kind === "answer" && isId(id)) return { kind, id, answer };
    if (kind === "error" && isId(id) && isSentError(error)) return { kind, id, error };
  }
  throw new TypeError("The message is not an answer of a thread.");
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null;

const isId = (value: unknown): value is number => Number.isSafeInteger(value);

const isSentError = (value: unknown): value is SentError =>
  isObject(value) &&
  typeof value.message === "string" &&
  ["string", "undefined"].includes(typeof value.stack) &&
  isObject(value.properties) &&
  Object.values(value.properties).every((property) => ["string", "number"].includes(typeof property));

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
