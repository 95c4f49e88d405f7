import { isObject, toList, toObjects, toText } from "../../core/text/clean.ts";

/** Slack markup: names and links in angle brackets, and three escaped characters. */

const entities: Readonly<Record<string, string>> = { "&lt;": "<", "&gt;": ">", "&amp;": "&" };

export function renderSlackText(text: string, getName: (id: string) => string | undefined): string {
  return redactTokens(text)
    .replace(/<([^<>\n]+)>/g, (whole, inner: string) => {
      const bar = inner.indexOf("|");
      const [target, label] = bar < 0 ? [inner, undefined] : [inner.slice(0, bar), inner.slice(bar + 1)];
      if (/^@[UWB]/.test(target)) return `@${getName(target.slice(1)) ?? label ?? target.slice(1)}`;
      if (/^#C/.test(target)) return `#${label || (getName(target.slice(1)) ?? target.slice(1))}`;
      if (target.startsWith("!")) return label ?? `@${target.slice(1).replace(/^subteam\^.*/, "group")}`;
      if (!/^(https?|mailto|tel|ftp|slack):/i.test(target)) return whole;
      return label === undefined || label === target || target === `mailto:${label}`
        ? stripScheme(target)
        : `${label} (${target})`;
    })
    .replace(/&(?:lt|gt|amp);/g, (entity) => entities[entity] ?? entity);
}

const stripScheme = (target: string): string => target.replace(/^(mailto|tel):/i, "");

/** File links contain a token that grants access. */
const redactTokens = (text: string): string => text.replace(/\bxox[a-z]-[\w-]+/g, "(token removed)");

/** Renders Block Kit blocks of any depth as Slack markup. */
export function renderBlocks(blocks: unknown, depth = 0): string {
  if (depth > 20) return "";
  const lines = toObjects(blocks).map((block) => renderBlock(block, depth));
  return lines.filter((line) => line !== "").join("\n");
}

function renderBlock(block: Record<string, unknown>, depth: number): string {
  const elements = toObjects(block.elements);
  // These elements form one line; elements of other blocks are separate lines.
  if (/^rich_text_(section|quote|preformatted)$/.test(toText(block.type) ?? ""))
    return elements.map(renderPiece).join("");
  const own = [block.title, block.text, ...toList(block.fields)].map(getLabel);
  return [...own, renderBlocks(elements, depth + 1)].filter((part) => part !== "").join("\n");
}

const getLabel = (value: unknown): string => (isObject(value) ? toText(value.text) : toText(value)) ?? "";

function renderPiece(piece: Record<string, unknown>): string {
  const getField = (name: string): string => toText(piece[name]) ?? "";
  switch (piece.type) {
    case "user":
      return `<@${getField("user_id")}>`;
    case "channel":
      return `<#${getField("channel_id")}>`;
    case "usergroup":
    case "broadcast":
      return `<!${getField("range") || "group"}>`;
    case "emoji":
      return `:${getField("name")}:`;
    case "link":
      return getField("text") === "" ? `<${getField("url")}>` : `<${getField("url")}|${getField("text")}>`;
    default:
      return getField("text");
  }
}
