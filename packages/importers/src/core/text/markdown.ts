/** What is written in Markdown, as far as an importer must know it. */

interface MarkdownLink {
  readonly target: string;
  /** Shown in place: a picture or a file. */
  readonly isEmbedded: boolean;
}

/** Links of both kinds, `[text](target)` and `[[target|text]]`, in their order. */
export function findMarkdownLinks(text: string): MarkdownLink[] {
  const found: MarkdownLink[] = [];
  // Where one part ends is plain from its characters, so that no text can make it try all ways to divide it.
  for (const [, bang = "", wiki, plain, pointed] of text.matchAll(
    /(!?)(?:\[\[([^\]|#\n]{1,500})(?:[|#][^\]\n]{0,500})?\]\]|\[[^\]\n]{0,1000}\]\((?:<([^>\n]{1,2000})>[^)\n]{0,500}|([^)\s]{1,2000})(?:\s[^)\n]{0,500})?)\))/g,
  )) {
    found.push({ target: (wiki ?? plain ?? pointed ?? "").trim(), isEmbedded: bang === "!" });
  }
  return found;
}

/** Words behind a `#`, as apps for notes write them. Neither in code nor in links; numbers alone are none. */
export function findMarkdownTags(text: string): string[] {
  const plain = text.replace(/```[\s\S]*?(?:```|$)/g, " ").replace(/`[^`\n]*`/g, " ");
  return [...plain.matchAll(/(?:^|[\s(])#(?=[^\s#]*[\p{L}_])([\p{L}\p{N}\p{M}_/-]{1,100})/gu)].map(([, tag = ""]) =>
    tag.replace(/\/+$/, ""),
  );
}
