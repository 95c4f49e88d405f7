import { type Operation, type OperationName, operations } from "./operations.ts";
import { decodeQuery, encodeQuery, type QueryValue } from "./query-string.ts";

/** Addresses of operations: the path with its parameters, and back. */

/** No URL path can carry these as a segment, however they are encoded: they travel as a query parameter of their own name. */
const dots: ReadonlySet<unknown> = new Set([".", ".."]);
const stand = "_";

/** The paths in pieces: text and names of parameters in turns. Every hit of a search has several addresses. */
const paths: { readonly [name: string]: readonly string[] } = Object.fromEntries(
  Object.entries(operations).map(([name, { path }]) => [name, path.split(/\{(\w+)\}/)]),
);

export function addressOf(name: OperationName, input: { readonly [key: string]: unknown }): string {
  const inPath: string[] = [];
  let path = "";
  for (const [i, piece] of paths[name]!.entries()) {
    if (i % 2 === 0) path += piece;
    else if (dots.has(input[piece])) path += stand;
    else {
      inPath.push(piece);
      path += encodeURIComponent(String(input[piece]));
    }
  }
  const text = encodeQuery(input, inPath);
  return text === "" ? path : `${path}?${text}`;
}

export interface Match {
  readonly operation: Operation;
  readonly params: { readonly [name: string]: string };
}

interface Pattern {
  readonly operation: Operation;
  readonly segments: readonly string[];
}

const patterns: readonly Pattern[] = Object.values(operations).map((operation) => ({
  operation,
  segments: operation.path.split("/"),
}));

/** The operations a path can mean, whatever the method; null when a segment is not well encoded. */
export function matchPath(pathname: string): Match[] | null {
  const written = pathname.split("/");
  const segments: string[] = [];
  for (const segment of written) {
    const text = decode(segment);
    if (text === null) return null;
    segments.push(text);
  }
  return patterns.flatMap((pattern) => {
    const params = matchSegments(pattern.segments, segments);
    return params === null ? [] : [{ operation: pattern.operation, params }];
  });
}

function matchSegments(pattern: readonly string[], segments: readonly string[]): Record<string, string> | null {
  if (pattern.length !== segments.length) return null;
  const params: Record<string, string> = {};
  for (const [i, part] of pattern.entries()) {
    const segment = segments[i]!;
    if (part.startsWith("{")) {
      if (segment === "") return null;
      params[part.slice(1, -1)] = segment;
    } else if (part !== segment) return null;
  }
  return params;
}

function decode(segment: string): string | null {
  try {
    return decodeURIComponent(segment);
  } catch {
    return null;
  }
}

/** The call that an address means: the inverse of `addressOf`, for whoever spells a continuation of the server in another way. */
export function callOf(address: string): { operation: OperationName; input: { [name: string]: QueryValue } } {
  const { pathname, searchParams } = new URL(address, "http://pdpp.invalid");
  const match = matchPath(pathname)?.find(({ operation }) => operation.method === "GET");
  const { values, fault } = decodeQuery(searchParams);
  if (match === undefined || fault !== undefined) throw new Error(`not the address of a read: ${address}`);
  return {
    operation: match.operation.name as OperationName,
    input: { ...match.params, ...Object.fromEntries(values) },
  };
}
