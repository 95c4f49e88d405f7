import { cutMark } from "./host-classes.ts";

/** Parses the characters a model is shown, without knowing who wrote them or how much was truncated. */

export interface Call {
  readonly tool: string;
  readonly arguments: { readonly [name: string]: unknown };
}

export interface Reading {
  /** The visible text; for a raw result, the decoded text. */
  readonly plain: string;
  /** The server's words, without record text between boundary lines. */
  readonly words: string;
  /** The offered calls, in the order shown. */
  readonly calls: readonly Call[];
  /** Every record named by its title, by a separate id line, or by a call for it. */
  readonly ids: readonly string[];
  readonly cut: boolean;
}

export function parseReading(shown: string): Reading {
  const plain = unwrapText(shown);
  const words = removeRecordText(plain);
  const calls = parseCalls(words);
  return { plain, words, calls, ids: parseIds(words, calls), cut: shown.includes(cutMark) };
}

/** Decodes the text in a raw result, a JSON string, up to its end or its truncation. */
function unwrapText(shown: string): string {
  const head = /^\{.*?"content":\[\{"type":"text","text":/.exec(shown)?.[0];
  if (head === undefined) return shown;
  const written = /^"(?:[^"\\]|\\.)*/.exec(shown.slice(head.length))![0];
  const text = JSON.parse(`${written}"`) as string;
  return `${text}\n${shown.slice(head.length + written.length)}`;
}

/** Only text outside boundaries is the server's. A boundary that is never closed was truncated. */
const removeRecordText = (text: string): string =>
  text.replace(/^<<TEXT (\w+)\n[\s\S]*?(?:^\1 TEXT>>$|(?![\s\S]))/gm, "");

function parseCalls(words: string): Call[] {
  const found: Call[] = [];
  for (const [whole, tool] of words
    .matchAll(/^-> (\w+) .*$|\{\s*"tool":\s*"\w+"/gm)
    .map((match) => [match, match[1]] as const)) {
    if (tool !== undefined) {
      const args = parsed(whole[0].slice(`-> ${tool} `.length));
      if (isObject(args)) found.push({ tool, arguments: args });
      continue;
    }
    const call = parsed(extractObject(words, whole.index));
    if (isObject(call) && typeof call.tool === "string" && isObject(call.arguments))
      found.push(call as unknown as Call);
  }
  return found;
}

function parseIds(words: string, calls: readonly Call[]): string[] {
  const named = [...words.matchAll(/\{\s*"id":\s*("(?:[^"\\]|\\.)*"),\s*"title":/g)].map(([, id]) => parsed(id!));
  // A record may have a field named id too. An id that tools accept includes its connection.
  const alone = [...words.matchAll(/^id: ("[^"/]+\/[^":]+:(?:[^"\\]|\\.)*")$/gm)].map(([, id = ""]) => parsed(id));
  const fetched = calls.map(({ arguments: { id } }) => id);
  return [...new Set([...named, ...alone, ...fetched].filter((id) => typeof id === "string"))];
}

/** Extracts the JSON object that starts at the position, or "" if its end is not shown. */
function extractObject(text: string, from: number): string {
  let depth = 0;
  for (const part of text.slice(from).matchAll(/"(?:[^"\\]|\\.)*"|[{}]/g)) {
    if (part[0] === "{") depth += 1;
    if (part[0] === "}") depth -= 1;
    if (depth === 0) return text.slice(from, from + part.index + 1);
  }
  return "";
}

function parsed(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return undefined;
  }
}

const isObject = (value: unknown): value is { [name: string]: unknown } =>
  typeof value === "object" && value !== null && !Array.isArray(value);
