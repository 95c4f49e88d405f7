import { parseAst } from "vitest/node";

/** Finds the test titles in a source file's syntax tree. Skipped tests and tests expected to fail do not count. */

const testFunctions: ReadonlySet<string> = new Set(["describe", "it", "test"]);
const provesNothing: ReadonlySet<string> = new Set(["skip", "todo", "fails"]);

interface Node {
  readonly type: string;
  readonly [key: string]: unknown;
}

const isNode = (value: unknown): value is Node =>
  typeof value === "object" && value !== null && typeof (value as Node).type === "string";

export function findTestTitles(source: string, lang: "ts" | "tsx" = "ts"): string[] {
  const titles: string[] = [];
  visit(parseAst(source, { lang }) as unknown, titles);
  return titles;
}

function visit(value: unknown, titles: string[]): void {
  if (Array.isArray(value)) for (const item of value) visit(item, titles);
  if (!isNode(value)) return;
  const called = value.type === "CallExpression" ? getCalleeNames(value.callee) : [];
  if (testFunctions.has(called[0] ?? "")) {
    if (called.some((name) => provesNothing.has(name))) return;
    const title = getTitleText((value.arguments as unknown[])[0]);
    if (title !== "") titles.push(title);
  }
  for (const child of Object.values(value)) visit(child, titles);
}

/** `it.concurrent.each(...)` as `it`, `concurrent`, `each`. The first part is empty if the callee is not an identifier. */
function getCalleeNames(callee: unknown): string[] {
  if (!isNode(callee)) return [""];
  if (callee.type === "Identifier") return [String(callee.name)];
  if (callee.type === "MemberExpression") return [...getCalleeNames(callee.object), ...getCalleeNames(callee.property)];
  if (callee.type === "CallExpression") return getCalleeNames(callee.callee);
  if (callee.type === "TaggedTemplateExpression") return getCalleeNames(callee.tag);
  return [""];
}

/** The text of a literal, a template without its placeholders, or a concatenation of both. */
function getTitleText(title: unknown): string {
  if (!isNode(title)) return "";
  if (title.type === "Literal") return typeof title.value === "string" ? title.value : "";
  if (title.type === "TemplateLiteral") {
    return (title.quasis as { value: { cooked: string } }[]).map(({ value }) => value.cooked).join("");
  }
  if (title.type === "BinaryExpression") return getTitleText(title.left) + getTitleText(title.right);
  return "";
}
