import { cutMark } from "./host-classes.ts";

/** What can be made of the characters that a model is shown, without knowing who wrote them or how much was cut away. */

export interface Call {
  readonly tool: string;
  readonly arguments: { readonly [name: string]: unknown };
}

export interface Reading {
  /** What was shown; of a raw result, the text as its reader would read it. */
  readonly plain: string;
  /** The server's words; record text between boundary lines is taken out. */
  readonly words: string;
  /** The calls that lead on, in the order in which they are shown. */
  readonly calls: readonly Call[];
  /** Every record that is named with its title, on a line of its own, or by a call for it. */
  readonly ids: readonly string[];
  readonly cut: boolean;
}

export function readingOf(shown: string): Reading {
  const plain = unwrapped(shown);
  const words = outsideBoundaries(plain);
  const calls = callsIn(words);
  return { plain, words, calls, ids: idsIn(words, calls), cut: shown.includes(cutMark) };
}

/** A raw result holds the text as a JSON string: it is read up to its end, or to where it was cut. */
function unwrapped(shown: string): string {
  const head = /^\{.*?"content":\[\{"type":"text","text":/.exec(shown)?.[0];
  if (head === undefined) return shown;
  const written = /^"(?:[^"\\]|\\.)*/.exec(shown.slice(head.length))![0];
  const text = JSON.parse(`${written}"`) as string;
  return `${text}\n${shown.slice(head.length + written.length)}`;
}

/** Only what stands outside boundaries is the server's; what was opened and is not closed was cut. */
const outsideBoundaries = (text: string): string =>
  text.replace(/^<<TEXT (\w+)\n[\s\S]*?(?:^\1 TEXT>>$|(?![\s\S]))/gm, "");

function callsIn(words: string): Call[] {
  const found: Call[] = [];
  for (const [whole, tool] of words
    .matchAll(/^-> (\w+) .*$|\{\s*"tool":\s*"\w+"/gm)
    .map((match) => [match, match[1]] as const)) {
    if (tool !== undefined) {
      const args = parsed(whole[0].slice(`-> ${tool} `.length));
      if (isObject(args)) found.push({ tool, arguments: args });
      continue;
    }
    const call = parsed(balanced(words, whole.index));
    if (isObject(call) && typeof call.tool === "string" && isObject(call.arguments))
      found.push(call as unknown as Call);
  }
  return found;
}

function idsIn(words: string, calls: readonly Call[]): string[] {
  const named = [...words.matchAll(/\{\s*"id":\s*("(?:[^"\\]|\\.)*"),\s*"title":/g)].map(([, id]) => parsed(id!));
  // A record may have a field that is called id, too; what tools take says where it is from.
  const alone = [...words.matchAll(/^id: ("[^"/]+\/[^":]+:(?:[^"\\]|\\.)*")$/gm)].map(([, id = ""]) => parsed(id));
  const fetched = calls.map(({ arguments: { id } }) => id);
  return [...new Set([...named, ...alone, ...fetched].filter((id) => typeof id === "string"))];
}

/** The JSON object that begins there; empty if its end is not shown. */
function balanced(text: string, from: number): string {
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
