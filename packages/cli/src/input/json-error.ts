const token =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: a JSON text may not hold them
  /[ \t\r\n]*(?:([{}[\],:])|("(?:[^"\\\u0000-\u001f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*")|(-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null))/y;
const blanks = /[ \t\r\n]*/y;

type Expected = "value" | "value or ]" | "key" | "key or }" | "colon" | "comma" | "end";

/** Where a text stops being JSON. The parser's own message tells the place only for some faults. */
export function locateJsonError(text: string): number {
  const open: ("{" | "[")[] = [];
  let expected: Expected = "value";
  for (let at = 0; ; ) {
    blanks.lastIndex = at;
    blanks.test(text);
    const start = blanks.lastIndex;
    token.lastIndex = at;
    const found = token.exec(text);
    if (found === null) return start;
    const next = after(expected, found[1] ?? (found[2] === undefined ? "scalar" : "string"), open);
    if (next === null) return start;
    expected = next;
    at = token.lastIndex;
  }
}

/** What may follow, or null when the token must not stand here. */
function after(expected: Expected, kind: string, open: ("{" | "[")[]): Expected | null {
  const inValue = expected === "value" || expected === "value or ]";
  const closed = (): Expected => (open.length === 0 ? "end" : "comma");
  if (kind === "{" || kind === "[") {
    if (!inValue) return null;
    open.push(kind);
    return kind === "{" ? "key or }" : "value or ]";
  }
  if (kind === "}" || kind === "]") {
    const empty = kind === "}" ? "key or }" : "value or ]";
    if ((expected !== empty && expected !== "comma") || open.at(-1) !== (kind === "}" ? "{" : "[")) return null;
    open.pop();
    return closed();
  }
  if (kind === ":") return expected === "colon" ? "value" : null;
  if (kind === ",") return expected !== "comma" ? null : open.at(-1) === "{" ? "key" : "value";
  if (inValue) return closed();
  return kind === "string" && (expected === "key" || expected === "key or }") ? "colon" : null;
}
