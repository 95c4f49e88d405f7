import { decodeQuery, encodeQuery, type QueryValue } from "./query-string.ts";
import { type OperationName, routes } from "./routes.ts";

/**
 * No URL path can carry these as a segment, however they are encoded. They are sent as a query parameter with the
 * same name instead.
 */
const dots: ReadonlySet<unknown> = new Set([".", ".."]);
const placeholder = "_";

interface Pattern {
  readonly name: OperationName;
  readonly method: string;
  /** Literal text and parameter names, alternating. Precomputed, because every search hit has several URLs. */
  readonly pieces: readonly string[];
  readonly segments: readonly string[];
}

const parsePattern = ({ name, method, path }: (typeof routes)[OperationName]): Pattern => ({
  name,
  method,
  pieces: path.split(/\{(\w+)\}/),
  segments: path.split("/"),
});
const patterns: ReadonlyMap<OperationName, Pattern> = new Map(
  Object.values(routes).map((route) => [route.name, parsePattern(route)]),
);
const patternsByLength = Map.groupBy(patterns.values(), ({ segments }) => segments.length);

export function buildUrl(name: OperationName, input: { readonly [key: string]: unknown }): string {
  const inPath: string[] = [];
  let path = "";
  for (const [i, piece] of (patterns.get(name)?.pieces ?? []).entries()) {
    if (i % 2 === 0) path += piece;
    else if (dots.has(input[piece])) path += placeholder;
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

/** Lists the operations that match a path, for any method. Returns null if a segment is badly encoded. */
export function matchRoutes(pathname: string): MatchedRoute[] | null {
  const segments: string[] = [];
  for (const segment of pathname.split("/")) {
    const text = decode(segment);
    if (text === null) return null;
    segments.push(text);
  }
  const found: MatchedRoute[] = [];
  for (const { name, method, segments: pattern } of patternsByLength.get(segments.length) ?? []) {
    const params = matchSegments(pattern, segments);
    if (params !== null) found.push({ name, method, params });
  }
  return found;
}

function matchSegments(pattern: readonly string[], segments: readonly string[]): Record<string, string> | null {
  const isMatch = pattern.every((part, i) => (part.startsWith("{") ? segments[i] !== "" : part === segments[i]));
  if (!isMatch) return null;
  const params: Record<string, string> = {};
  for (const [i, part] of pattern.entries()) if (part.startsWith("{")) params[part.slice(1, -1)] = segments[i]!;
  return params;
}

function decode(segment: string): string | null {
  if (!segment.includes("%")) return segment;
  try {
    return decodeURIComponent(segment);
  } catch {
    return null;
  }
}

export function parseUrl(address: string): { operation: OperationName; input: { [name: string]: QueryValue } } {
  const { pathname, searchParams } = new URL(address, "http://pdpp.invalid");
  const match = matchRoutes(pathname)?.find(({ method }) => method === "GET");
  const { values, fault } = decodeQuery(searchParams);
  if (match === undefined || fault !== undefined) throw new Error(`not the address of a read: ${address}`);
  return { operation: match.name, input: { ...match.params, ...Object.fromEntries(values) } };
}
