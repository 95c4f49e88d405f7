import { z } from "zod";
import { buildUrl, parseUrl } from "./http/address.ts";
import type { OperationName } from "./http/routes.ts";

type Scalar = string | number | boolean;

type FilterArgument = { readonly [field: string]: Scalar | { readonly [operator: string]: Scalar | undefined } };

/** The next read: an operation with its arguments. REST writes it as a URL, each other surface in its own way. */

export interface RecordArguments {
  readonly connection_id: string;
  readonly stream: string;
  readonly record_id: string;
}

export interface ContinuationArguments {
  readonly fetch: RecordArguments & { readonly fields?: readonly string[]; readonly after_field?: string };
  readonly readField: RecordArguments & {
    readonly field: string;
    readonly offset_chars?: number;
    readonly end_chars?: number;
    readonly limit_chars?: number;
    readonly max_chars?: number;
    readonly q?: string;
    readonly before_chars?: number;
    readonly after_chars?: number;
    readonly version?: string;
    readonly cursor?: string;
  };
  readonly readBlob: { readonly blob_id: string; readonly connection_id: string };
  readonly queryRecords: {
    readonly stream: string;
    readonly connection_id?: string;
    readonly cursor?: string;
    readonly limit?: number;
    readonly fields?: readonly string[];
    readonly order?: "asc" | "desc";
    readonly filter?: FilterArgument;
  };
  readonly search: {
    readonly q: string;
    readonly streams?: readonly string[];
    readonly connection_id?: string;
    readonly filter?: FilterArgument;
    readonly time?: "words";
    readonly collapse?: "similar";
    readonly cursor?: string;
    readonly limit?: number;
  };
  readonly aggregate: {
    readonly stream: string;
    readonly connection_id?: string | undefined;
    readonly metric: string;
    readonly field?: string | undefined;
    readonly group_by?: string | undefined;
    readonly group_by_time?: string | undefined;
    readonly granularity?: string | undefined;
    readonly time_zone?: string | undefined;
    readonly limit?: number | undefined;
    readonly filter?: FilterArgument;
  };
  readonly schema: { readonly stream?: string; readonly connection_id?: string };
}

export type ContinuationOperation = keyof ContinuationArguments & OperationName;

export interface ContinuationTo<N extends ContinuationOperation> {
  readonly operation: N;
  readonly arguments: ContinuationArguments[N];
  readonly method: "GET";
  readonly url: string;
  toJSON(): RestContinuation;
}
export type Continuation = { [N in ContinuationOperation]: ContinuationTo<N> }[ContinuationOperation];

interface RestContinuation {
  readonly operation: string;
  readonly method: "GET";
  readonly url: string;
}

class Next<N extends ContinuationOperation> implements ContinuationTo<N> {
  readonly operation: N;
  readonly arguments: ContinuationArguments[N];

  constructor(operation: N, args: ContinuationArguments[N]) {
    this.operation = operation;
    this.arguments = args;
  }

  get method(): "GET" {
    return "GET";
  }

  get url(): string {
    return buildUrl(this.operation, { ...this.arguments });
  }

  toJSON(): RestContinuation {
    return { operation: this.operation, method: this.method, url: this.url };
  }
}

export const continueWith = <N extends ContinuationOperation>(
  operation: N,
  args: ContinuationArguments[N],
): ContinuationTo<N> => new Next(operation, args);

const restContinuation = z.looseObject({ operation: z.string(), method: z.literal("GET"), url: z.string() });

/** Encodes a continuation as a URL on the wire, and decodes it to a call. */
export const continuation = z.codec(
  restContinuation,
  z.custom<Continuation>((value) => value instanceof Next),
  {
    decode: ({ url }, context) => {
      try {
        const { operation, input } = parseUrl(url);
        return new Next(operation as ContinuationOperation, input as never) as Continuation;
      } catch {
        context.issues.push({ code: "custom", message: "not the address of a read", input: url });
        return z.NEVER;
      }
    },
    encode: (next) => ({ ...next.toJSON() }),
  },
);
