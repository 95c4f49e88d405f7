/** What Slack writes in its messages: names and links in angle brackets, three characters escaped. */

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

/** A link to a file holds a token that opens it to whoever has the link. */
const withoutTokens = (text: string): string => text.replace(/\bxox[a-z]-[\w-]+/g, "(token removed)");
