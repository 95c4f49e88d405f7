import { PdppError, type ProblemCode, type ProblemDetails, problemStatus } from "@pdpp/contract/errors";
import { jsonReadNames, type OperationName } from "@pdpp/contract/operations";
import { type Warning, warning } from "@pdpp/contract/wire";
import { z } from "zod";

export interface ThreadCall<N extends OperationName = OperationName> {
  readonly name: N;
  readonly bearer: { readonly token: string } | { readonly ownerNo: number };
  readonly values: ReadonlyMap<string, unknown>;
  readonly warnings: readonly Warning[];
  readonly pagesUrl?: string | undefined;
}

/** The states of a read, in memory that both threads share: only this reaches a thread that is busy. */
export const readState = { wanted: 0, abandoned: 1, timedOut: 2 } as const;

const threadRequest = z.object({
  name: z.enum([...jsonReadNames, "export"]),
  bearer: z.union([z.object({ token: z.string() }), z.object({ ownerNo: z.int() })]),
  values: z.map(z.string(), z.unknown()),
  warnings: z.array(warning),
  pagesUrl: z.string().optional(),
  maxCpuMs: z.number(),
  state: z.custom<Int32Array<SharedArrayBuffer>>((value) => value instanceof Int32Array),
});
export type ThreadRequest = ThreadCall & {
  /** The processor's time that it may take. */
  readonly maxCpuMs: number;
  readonly state: Int32Array<SharedArrayBuffer>;
};
export type ParsedRequest = z.infer<typeof threadRequest>;

export const parseThreadRequest = (message: unknown): ParsedRequest => threadRequest.parse(message);

/** How much work it was, in milliseconds. */
const costMs = z.number();

const threadAnswer = z.union([
  z.object({
    costMs,
    bytes: z.custom<Uint8Array<ArrayBuffer>>((value) => value instanceof Uint8Array),
    disclosures: z.array(
      z.object({
        connectionIds: z.array(z.string()).readonly(),
        stream: z.string().nullable(),
        records: z.int(),
        versions: z.array(z.int()).readonly(),
      }),
    ),
    /** Where the next piece of an export begins. */
    next: z.string().optional(),
  }),
  z.object({
    costMs,
    code: z.custom<ProblemCode>((code) => typeof code === "string" && Object.hasOwn(problemStatus, code)),
    message: z.string(),
    details: z.custom<ProblemDetails>((details) => typeof details === "object" && details !== null),
  }),
]);
export type ThreadAnswer = z.infer<typeof threadAnswer>;

export const parseThreadAnswer = (message: unknown): ThreadAnswer => threadAnswer.parse(message);

export const createDisconnectError = (): PdppError =>
  new PdppError("request_timeout", "the client disconnected before the answer was ready");

export const createStopError = (state: number): PdppError =>
  state === readState.abandoned
    ? createDisconnectError()
    : new PdppError(
        "query_too_heavy",
        "this read took too long and was stopped; ask for less: fewer or longer words, one stream, a shorter period",
      );
