import { isObject, toList, toText } from "../../core/text/clean.ts";

/** Slack markup: names and links in angle brackets, and three escaped characters. */

const entities: Readonly<Record<string, string>> = { "&lt;": "<", "&gt;": ">", "&amp;": "&" };

export function slackText(text: string, nameOf: (id: string) => string | undefined): string {
  return withoutTokens(text)
    .replace(/<([^<>\n]+)>/g, (whole, inner: string) => {
      const bar = inner.indexOf("|");
      const [target, label] = bar < 0 ? [inner, undefined] : [inner.slice(0, bar), inner.slice(bar + 1)];
      if (/^@[UWB]/.test(target)) return `@${nameOf(target.slice(1)) ?? label ?? target.slice(1)}`;
      if (/^#C/.test(target)) return `#${label || (nameOf(target.slice(1)) ?? target.slice(1))}`;
      if (target.startsWith("!")) return label ?? `@${target.slice(1).replace(/^subteam\^.*/, "group")}`;
      if (!/^(https?|mailto|tel|ftp|slack):/i.test(target)) return whole;
      return label === undefined || label === target || target === `mailto:${label}`
        ? bare(target)
        : `${label} (${target})`;
    })
    .replace(/&(?:lt|gt|amp);/g, (entity) => entities[entity] ?? entity);
}

const bare = (target: string): string => target.replace(/^(mailto|tel):/i, "");

/** File links contain a token that grants access. */
const withoutTokens = (text: string): string => text.replace(/\bxox[a-z]-[\w-]+/g, "(token removed)");

/** Renders Block Kit blocks of any depth as Slack markup. */
export function blocksText(blocks: unknown, depth = 0): string {
  if (depth > 20) return "";
  const lines = toList(blocks)
    .filter(isObject)
    .map((block) => blockText(block, depth));
  return lines.filter((line) => line !== "").join("\n");
}

function blockText(block: Record<string, unknown>, depth: number): string {
  const elements = toList(block.elements).filter(isObject);
  // These elements form one line; elements of other blocks are separate lines.
  if (/^rich_text_(section|quote|preformatted)$/.test(toText(block.type) ?? ""))
    return elements.map(pieceText).join("");
  const own = [block.title, block.text, ...toList(block.fields)].map(labelText);
  return [...own, blocksText(elements, depth + 1)].filter((part) => part !== "").join("\n");
}

const labelText = (value: unknown): string => (isObject(value) ? toText(value.text) : toText(value)) ?? "";

function pieceText(piece: Record<string, unknown>): string {
  const of = (name: string): string => toText(piece[name]) ?? "";
  switch (piece.type) {
    case "user":
      return `<@${of("user_id")}>`;
    case "channel":
      return `<#${of("channel_id")}>`;
    case "usergroup":
    case "broadcast":
      return `<!${of("range") || "group"}>`;
    case "emoji":
      return `:${of("name")}:`;
    case "link":
      return of("text") === "" ? `<${of("url")}>` : `<${of("url")}|${of("text")}>`;
    default:
      return of("text");
  }
}
