interface MarkdownLink {
  readonly target: string;
  /** Embedded with `!`: a picture or a file. */
  readonly isEmbedded: boolean;
}

/** Finds `[text](target)` and `[[target|text]]` links, in order. */
export function findMarkdownLinks(text: string): MarkdownLink[] {
  const found: MarkdownLink[] = [];
  // Each part excludes its own terminator, so the pattern cannot backtrack exponentially.
  for (const [, bang = "", wiki, plain, pointed] of text.matchAll(
    /(!?)(?:\[\[([^\]|#\n]{1,500})(?:[|#][^\]\n]{0,500})?\]\]|\[[^\]\n]{0,1000}\]\((?:<([^>\n]{1,2000})>[^)\n]{0,500}|([^)\s]{1,2000})(?:\s[^)\n]{0,500})?)\))/g,
  )) {
    found.push({ target: (wiki ?? plain ?? pointed ?? "").trim(), isEmbedded: bang === "!" });
  }
  return found;
}

/** Finds `#tags` outside code and links. Numbers alone are not tags. */
export function findMarkdownTags(text: string): string[] {
  const plain = text.replace(/```[\s\S]*?(?:```|$)/g, " ").replace(/`[^`\n]*`/g, " ");
  return [...plain.matchAll(/(?:^|[\s(])#(?=[^\s#]*[\p{L}_])([\p{L}\p{N}\p{M}_/-]{1,100})/gu)].map(([, tag = ""]) =>
    tag.replace(/\/+$/, ""),
  );
}
