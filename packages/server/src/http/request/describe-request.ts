import type { Json } from "@pdpp/contract/declaration";
import type { LoggedRequest } from "@pdpp/contract/logged-request";
import { type OperationName, operations } from "@pdpp/contract/operations";

/** Describes a request for the access log: bounded, and without tokens, cursors and unknown parameters. */

export interface RequestToDescribe {
  readonly operation: OperationName;
  readonly values: ReadonlyMap<string, unknown>;
  /** Removed where a client repeats it. */
  readonly token: string;
  /** Whether the entry lists the records, so that their ids need not be kept. */
  readonly isListed: boolean;
}

const maxRequestChars = 2000;
/** No value is read further than this. */
const maxCharsRead = 4 * maxRequestChars;

/** From generous to strict; the first limits under which a request fits are used. */
const limits = [
  { chars: 1500, items: 50 },
  { chars: 300, items: 30 },
  { chars: 60, items: 15 },
  { chars: 20, items: 8 },
] as const;
type Limits = (typeof limits)[number];

export function describeRequest(request: RequestToDescribe): string {
  const { operation } = request;
  for (const limit of limits) {
    const written = JSON.stringify(buildRequest(request, limit));
    if (written.length <= maxRequestChars) return written;
  }
  return JSON.stringify({ operation, arguments: {}, shortened: true } satisfies LoggedRequest);
}

function buildRequest({ operation, values, token, isListed }: RequestToDescribe, limit: Limits): LoggedRequest {
  const { shape } = operations[operation].input;
  const kept = new Map<string, Json>();
  let isContinued = false;
  let isShortened = false;
  const shorten = createShortener(token, limit, () => {
    isShortened = true;
  });
  for (const [name, value] of values) {
    if (!Object.hasOwn(shape, name) || value === undefined) continue;
    if (isListed && (name === "record_id" || name === "blob_id")) continue;
    if (name === "cursor" || name === "after") {
      // The cursor of a window may also be an offset.
      if (operation === "readField" && typeof value === "string" && /^\d{1,15}$/.test(value))
        kept.set("offset_chars", Number(value));
      else isContinued = true;
    } else if (name === "changes_since" && value !== "beginning") kept.set(name, "bookmark");
    else kept.set(name, shorten(value));
  }
  return {
    operation,
    arguments: Object.fromEntries(kept),
    ...(isContinued ? { continued: true } : {}),
    ...(isShortened ? { shortened: true } : {}),
  };
}

const maxDepth = 3;

function createShortener(token: string, { chars, items }: Limits, onShortened: () => void): (value: unknown) => Json {
  const shortenText = (text: string): string => {
    const clean = removeTokens(text.slice(0, maxCharsRead), token)
      .replaceAll(/\p{Cc}+/gu, " ")
      .toWellFormed();
    if (clean.length <= chars && text.length <= maxCharsRead) return clean;
    onShortened();
    return `${clean.slice(0, chars).toWellFormed()}…`;
  };
  const takeSome = <T>(all: readonly T[]): readonly T[] => {
    if (all.length > items) onShortened();
    return all.slice(0, items);
  };
  const shorten = (value: unknown, depth: number): Json => {
    if (typeof value === "string") return shortenText(value);
    if (typeof value === "boolean" || value === null || (typeof value === "number" && Number.isFinite(value)))
      return value;
    if (depth < maxDepth && Array.isArray(value)) return takeSome(value).map((each) => shorten(each, depth + 1));
    if (depth < maxDepth && typeof value === "object")
      return Object.fromEntries(
        takeSome(Object.entries(value)).map(([key, each]) => [shortenText(key), shorten(each, depth + 1)]),
      );
    onShortened();
    return null;
  };
  return (value) => shorten(value, 0);
}

/** The tokens of this server, and what is used as one here. */
const tokens = /pdpp_(?:owner|client)_[\w-]+/g;

const removeTokens = (text: string, token: string): string =>
  text.replaceAll(token, "[token]").replaceAll(tokens, "[token]");
