import { readFileSync, writeFileSync } from "node:fs";

const page = new URL("../../docs/testing/benchmarks.md", import.meta.url);

/** A section of docs/testing/benchmarks.md, between `<!-- bench: NAME -->` and `<!-- end -->`. */
export function openReportSection(name: string): { write(content: string): void } {
  const start = `<!-- bench: ${name} -->`;
  const split = (): readonly [before: string, after: string] => {
    const text = readFileSync(page, "utf8");
    const from = text.indexOf(start);
    const to = text.indexOf("<!-- end -->", from);
    if (from === -1 || to === -1) throw new Error(`docs/testing/benchmarks.md has no section "${start}" to write to`);
    return [text.slice(0, from + start.length), text.slice(to)];
  };
  split();
  return {
    write(content) {
      const [before, after] = split();
      writeFileSync(page, `${before}\n\n${content.trim()}\n\n${after}`);
    },
  };
}
