import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { parseSync, Visitor } from "oxc-parser";

/** Something a person reads in a source file. */
interface Piece {
  readonly file: string;
  readonly line: number;
  readonly text: string;
}

interface NamedFunction {
  readonly file: string;
  readonly line: number;
  readonly name: string;
  readonly isExported: boolean;
}

export interface SourcePieces {
  readonly comments: Piece[];
  readonly strings: Piece[];
  readonly functions: NamedFunction[];
}

/** Lists the project's own files below some folders, with one of some endings. */
export function listFiles(root: string, folders: readonly string[], endings: readonly string[]): string[] {
  const listed = execFileSync("git", ["ls-files", "-co", "--exclude-standard", "--", ...folders], {
    cwd: root,
    encoding: "utf8",
    maxBuffer: 1 << 26,
  });
  return listed.split("\n").filter((file) => endings.some((ending) => file.endsWith(ending)));
}

/** Collects the comments, the strings of several words and the named functions of a source file. */
export function readSource(root: string, file: string): SourcePieces {
  const source = readFileSync(`${root}/${file}`, "utf8");
  const { program, comments } = parseSync(file, source);
  const lineOf = createLineIndex(source);
  const strings: Piece[] = [];
  const functions: NamedFunction[] = [];
  const exported = new Set<unknown>();
  const addString = (start: number, text: string) => {
    if (isProse(text)) strings.push({ file, line: lineOf(start), text });
  };
  const addFunction = (node: { start: number }, name: string, isExported: boolean) =>
    functions.push({ file, line: lineOf(node.start), name, isExported });
  const isFunction = (node: { type: string } | null | undefined): boolean =>
    node?.type === "ArrowFunctionExpression" || node?.type === "FunctionExpression";
  new Visitor({
    Literal(node) {
      if (typeof node.value === "string") addString(node.start, node.value);
    },
    TemplateLiteral(node) {
      addString(node.start, node.quasis.map((part) => part.value.cooked ?? "").join("{}"));
    },
    JSXText(node) {
      addString(node.start, node.value);
    },
    ExportNamedDeclaration(node) {
      if (node.declaration !== null) exported.add(node.declaration);
    },
    FunctionDeclaration(node) {
      if (node.id !== null) addFunction(node, node.id.name, exported.has(node));
    },
    VariableDeclaration(node) {
      for (const { id, init } of node.declarations)
        if (id.type === "Identifier" && isFunction(init)) addFunction(node, id.name, exported.has(node));
    },
    MethodDefinition(node) {
      if (node.key.type === "Identifier" && node.kind === "method") addFunction(node, node.key.name, false);
    },
  }).visit(program);
  return {
    comments: joinLineComments(source, comments).map(({ start, text }) => ({ file, line: lineOf(start), text })),
    strings,
    functions,
  };
}

interface Comment {
  readonly start: number;
  readonly end: number;
  readonly value: string;
}

/** Lines of `//` that follow each other are one comment. */
function joinLineComments(source: string, comments: readonly Comment[]): { start: number; text: string }[] {
  const joined: { start: number; end: number; text: string }[] = [];
  for (const { start, end, value } of comments) {
    const text = value.replaceAll(/^\s*\*+ ?/gm, "").trim();
    const last = joined.at(-1);
    if (
      last !== undefined &&
      /^\s*$/.test(source.slice(last.end, start)) &&
      !source.slice(last.end, start).includes("\n\n")
    ) {
      last.text += ` ${text}`;
      last.end = end;
    } else joined.push({ start, end, text });
  }
  return joined.filter(({ text }) => /[a-z]{2}.* .*[a-z]{2}/i.test(text) && !text.startsWith("biome-ignore"));
}

/** Three words or more, and not markup, code or SQL. */
function isProse(text: string): boolean {
  const words = text.match(/[A-Za-z][a-z']+/g) ?? [];
  return (
    words.length >= 3 &&
    /[a-z]+ [a-z]+ /.test(text) &&
    !/^(?:SELECT|INSERT|UPDATE|DELETE|CREATE|WITH)\b/.test(text.trim())
  );
}

function createLineIndex(source: string): (offset: number) => number {
  const starts = [0];
  for (let at = source.indexOf("\n"); at >= 0; at = source.indexOf("\n", at + 1)) starts.push(at + 1);
  return (offset) => {
    let [low, high] = [0, starts.length];
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if (starts[middle]! <= offset) low = middle;
      else high = middle;
    }
    return low + 1;
  };
}
