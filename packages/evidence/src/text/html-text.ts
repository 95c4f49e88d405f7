import { Tokenizer, type TokenizerCallbacks } from "htmlparser2";

/**
 * Extracts the visible text of an HTML page. It works on tokens without building a tree, so the time is linear however deep or
 * broken the markup is.
 */

/** Elements whose content is not visible. A title is visible, but as a name, not as text. */
const dropped: ReadonlySet<string> = new Set(["script", "style", "template", "title", "iframe", "noembed", "noframes"]);
const verbatim: ReadonlySet<string> = new Set(["pre", "textarea", "xmp", "plaintext", "listing"]);
const foreign: ReadonlySet<string> = new Set(["svg", "math"]);
const cells: ReadonlySet<string> = new Set(["td", "th"]);

const paragraphs = "p h1 h2 h3 h4 h5 h6 ul ol dl table blockquote pre figure hr";
const lines =
  "address article aside body button caption center details dialog dd div dt fieldset figcaption footer form header html legend " +
  "li listing main menu nav option optgroup plaintext search section select summary tbody textarea tfoot thead tr xmp";
/** How many line breaks precede and follow an element. */
const breaks: ReadonlyMap<string, number> = new Map([
  ...paragraphs.split(" ").map((name) => [name, 2] as const),
  ...lines.split(" ").map((name) => [name, 1] as const),
]);

const space = /[ \t\n\f\r]+/g;
/** Yields to the event loop after this many UTF-16 units. */
const turnUnits = 262_144;

/** In XHTML a tag can close itself. `nextTurn` yields to the event loop. */
export async function extractHtmlText(
  html: string,
  isXhtml: boolean,
  nextTurn: () => Promise<unknown> = async () => undefined,
): Promise<string> {
  const reduced = createWriter();
  let drop: { readonly name: string; depth: number } | null = null;
  let tag = "";
  let attribute = "";
  let alt = "";
  let foreignDepth = 0;
  let verbatimDepth = 0;
  let turnedAt = 0;

  const say = (text: string): void => {
    if (drop !== null) return;
    if (verbatimDepth > 0) reduced.verbatim(text);
    else reduced.flowing(text);
  };
  const opened = (name: string): void => {
    if (foreign.has(name)) foreignDepth += 1;
    if (drop !== null) {
      if (name === drop.name) drop.depth += 1;
    } else if (dropped.has(name)) drop = { name, depth: 1 };
    else {
      reduced.break(breaks.get(name) ?? 0);
      if (name === "br") reduced.lineEnd();
      if (cells.has(name)) reduced.gap("\t");
      if (verbatim.has(name)) verbatimDepth += 1;
    }
  };
  const closed = (name: string): void => {
    if (foreign.has(name)) foreignDepth = Math.max(0, foreignDepth - 1);
    if (drop !== null) {
      if (name === drop.name) drop.depth -= 1;
      if (drop.depth === 0) drop = null;
    } else {
      if (verbatim.has(name)) verbatimDepth = Math.max(0, verbatimDepth - 1);
      reduced.break(breaks.get(name) ?? 0);
    }
  };
  const tagEnd = (): void => {
    if (alt === "") return;
    reduced.gap(" ");
    say(alt);
    reduced.gap(" ");
    alt = "";
  };
  const nameAt = (start: number, end: number): string => html.slice(start, end).toLowerCase();
  const isAlt = (): boolean => tag === "img" && attribute === "alt";
  const nothing = (): void => undefined;
  const takeTurns = (at: number): void => {
    if (at - turnedAt < turnUnits) return;
    turnedAt = at;
    tokenizer.pause();
  };
  const callbacks: TokenizerCallbacks = {
    ontext(start, end) {
      say(html.slice(start, end));
      takeTurns(end);
    },
    ontextentity(codePoint, end) {
      say(String.fromCodePoint(codePoint));
      takeTurns(end);
    },
    onopentagname(start, end) {
      tag = nameAt(start, end);
      opened(tag);
      takeTurns(end);
    },
    onattribname(start, end) {
      attribute = nameAt(start, end);
    },
    onattribdata(start, end) {
      if (isAlt()) alt += html.slice(start, end);
    },
    onattribentity(codePoint) {
      if (isAlt()) alt += String.fromCodePoint(codePoint);
    },
    onattribend: nothing,
    onopentagend: tagEnd,
    onselfclosingtag() {
      tagEnd();
      if (isXhtml || foreignDepth > 0) closed(tag);
    },
    onclosetag: (start, end) => closed(nameAt(start, end)),
    isInForeignContext: () => foreignDepth > 0,
    oncdata(start, end, endOffset) {
      if (isXhtml || foreignDepth > 0) say(html.slice(start, end - endOffset));
    },
    oncomment: nothing,
    ondeclaration: nothing,
    onprocessinginstruction: nothing,
    onend: nothing,
  };
  const tokenizer = new Tokenizer({ recognizeSelfClosing: isXhtml }, callbacks);
  tokenizer.write(html);
  while (!tokenizer.running) {
    await nextTurn();
    tokenizer.resume();
  }
  tokenizer.end();
  return reduced.text();
}

/** Joins pieces of text: collapses white space, and puts breaks and gaps only between two pieces. */
function createWriter() {
  const parts: string[] = [];
  let pendingBreaks = 0;
  let pendingGap = "";
  const put = (text: string): void => {
    if (parts.length > 0) parts.push(pendingBreaks > 0 ? "\n".repeat(pendingBreaks) : pendingGap);
    parts.push(text);
    pendingBreaks = 0;
    pendingGap = "";
  };
  const gap = (between: " " | "\t"): void => {
    if (pendingGap !== "\t") pendingGap = between;
  };
  return {
    gap,
    break(count: number): void {
      pendingBreaks = Math.max(pendingBreaks, count);
    },
    lineEnd(): void {
      pendingBreaks = Math.min(2, pendingBreaks + 1);
    },
    flowing(text: string): void {
      const one = text.replace(space, " ");
      if (one.startsWith(" ")) gap(" ");
      const words = one.slice(one.startsWith(" ") ? 1 : 0, one.endsWith(" ") ? -1 : undefined);
      if (words === "") return;
      put(words);
      if (one.endsWith(" ")) gap(" ");
    },
    verbatim: (text: string): void => put(text.replace(/\r\n?/g, "\n")),
    text: (): string => parts.join(""),
  };
}
