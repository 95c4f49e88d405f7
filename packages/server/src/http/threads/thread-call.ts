import { PdppError, type ProblemCode, type ProblemDetails, problemStatus } from "@pdpp/contract/errors";
import type { OperationName } from "@pdpp/contract/operations";
import { type Warning, warning } from "@pdpp/contract/wire";
import { z } from "zod";

/** The messages between the thread that has the sockets and those that do heavy reads, and how each side checks what it receives. */

const heavyNames = ["search", "queryRecords", "fetch", "aggregate", "readField"] as const satisfies OperationName[];
export type HeavyName = (typeof heavyNames)[number];

export interface ThreadCall<N extends OperationName = OperationName> {
  readonly name: N;
  /** Whose authority: a token's, or an owner's who is signed in. */
  readonly bearer: { readonly token: string } | { readonly ownerNo: number };
  readonly values: ReadonlyMap<string, unknown>;
  /** What is to be said with the answer beside what the reader says. */
  readonly warnings: readonly Warning[];
  readonly pagesUrl?: string | undefined;
}

/** What the one word says that both threads see. */
export const verdicts = { wanted: 0, gone: 1, tooLong: 2 } as const;

const threadRequest = z.union([
  z.literal("close"),
  z.object({
    name: z.enum(heavyNames),
    bearer: z.union([z.object({ token: z.string() }), z.object({ ownerNo: z.int() })]),
    values: z.map(z.string(), z.unknown()),
    warnings: z.array(warning),
    pagesUrl: z.string().optional(),
    verdict: z.custom<Int32Array<SharedArrayBuffer>>((value) => value instanceof Int32Array),
  }),
]);
export type ThreadRequest = ThreadCall & { readonly verdict: Int32Array<SharedArrayBuffer> };

export const parseThreadRequest = (message: unknown): z.infer<typeof threadRequest> => threadRequest.parse(message);

const threadAnswer = z.union([
  z.object({
    bytes: z.custom<Uint8Array<ArrayBuffer>>((value) => value instanceof Uint8Array),
    disclosures: z.array(
      z.object({
        connectionIds: z.array(z.string()).readonly(),
        stream: z.string().nullable(),
        records: z.int(),
        versions: z.array(z.int()).readonly(),
      }),
    ),
  }),
  z.object({
    code: z.custom<ProblemCode>((code) => typeof code === "string" && Object.hasOwn(problemStatus, code)),
    message: z.string(),
    details: z.custom<ProblemDetails>((details) => typeof details === "object" && details !== null),
  }),
  z.object({ bug: z.string() }),
]);
export type ThreadAnswer = z.infer<typeof threadAnswer>;

export const parseThreadAnswer = (message: unknown): ThreadAnswer => threadAnswer.parse(message);

export const isHeavyName = (name: OperationName): boolean => heavyNames.some((heavy) => heavy === name);

export function ended(verdict: number): PdppError {
  return verdict === verdicts.gone
    ? new PdppError("request_timeout", "the client disconnected before the answer was ready")
    : new PdppError(
        "query_too_heavy",
        "this read took too long and was stopped; ask for less: fewer or longer words, one stream, a shorter period",
      );
}
