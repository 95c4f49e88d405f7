import { decodeQuery, encodeQuery, type QueryValue } from "./query-string.ts";
import { type OperationName, routes } from "./routes.ts";

/** Addresses of operations: the path with its parameters, and back. */

/** No URL path can carry these as a segment, however they are encoded: they travel as a query parameter of their own name. */
const dots: ReadonlySet<unknown> = new Set([".", ".."]);
const stand = "_";

interface Pattern {
  readonly name: OperationName;
  readonly method: string;
  /** Text and names of parameters in turns. Every hit of a search has several addresses. */
  readonly pieces: readonly string[];
  readonly segments: readonly string[];
}

const patternOf = ({ name, method, path }: (typeof routes)[OperationName]): Pattern => ({
  name,
  method,
  pieces: path.split(/\{(\w+)\}/),
  segments: path.split("/"),
});
const patterns: ReadonlyMap<OperationName, Pattern> = new Map(
  Object.values(routes).map((route) => [route.name, patternOf(route)]),
);

export function addressOf(name: OperationName, input: { readonly [key: string]: unknown }): string {
  const inPath: string[] = [];
  let path = "";
  for (const [i, piece] of (patterns.get(name)?.pieces ?? []).entries()) {
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

export interface MatchedRoute {
  readonly name: OperationName;
  readonly method: string;
  readonly params: { readonly [name: string]: string };
}

/** The operations a path can mean, whatever the method; null when a segment is not well encoded. */
export function matchRoutes(pathname: string): MatchedRoute[] | null {
  const segments: string[] = [];
  for (const segment of pathname.split("/")) {
    const text = decode(segment);
    if (text === null) return null;
    segments.push(text);
  }
  return [...patterns.values()].flatMap(({ name, method, segments: pattern }) => {
    const params = matchSegments(pattern, segments);
    return params === null ? [] : [{ name, method, params }];
  });
}

function matchSegments(pattern: readonly string[], segments: readonly string[]): Record<string, string> | null {
  if (pattern.length !== segments.length) return null;
  const params: Record<string, string> = {};
  for (const [i, segment] of segments.entries()) {
    const part = pattern[i] ?? "";
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

/** The call that an address means: the inverse of `addressOf`. */
export function callOf(address: string): { operation: OperationName; input: { [name: string]: QueryValue } } {
  const { pathname, searchParams } = new URL(address, "http://pdpp.invalid");
  const match = matchRoutes(pathname)?.find(({ method }) => method === "GET");
  const { values, fault } = decodeQuery(searchParams);
  if (match === undefined || fault !== undefined) throw new Error(`not the address of a read: ${address}`);
  return { operation: match.name, input: { ...match.params, ...Object.fromEntries(values) } };
}
