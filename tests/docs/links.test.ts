import { existsSync, globSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { listAnchors } from "@pdpp/test-support/repository/documents";
import { repository } from "@pdpp/test-support/repository/requirements";
import { describe, expect, it } from "vitest";

const pages = globSync(["*.md", "docs/**/*.md", "tests/*.md"], { cwd: repository }).sort();

/** Lists the targets of a page's links within the repository. */
function listLinkTargets(page: string): string[] {
  const text = readFileSync(join(repository, page), "utf8").replaceAll(/^```[\s\S]*?^```/gm, "");
  return [...text.matchAll(/\]\(([^)\s]+)\)/g)]
    .map(([, target = ""]) => target)
    .filter((target) => !/^[a-z]+:/.test(target));
}

const sources = globSync(["{packages,programs,scripts,tests}/**/*.{ts,tsx,mjs}"], {
  cwd: repository,
  exclude: (path) => path.endsWith("node_modules"),
});

/** A document may leave out the first folders of a path, and `src`. `timeline` is the guide's example of a file to add. */
const isSourceFile = (name: string): boolean =>
  name.endsWith("timeline.ts") ||
  sources.some((path) => `/${path}`.endsWith(`/${name}`) || `/${path.replace("/src/", "/")}`.endsWith(`/${name}`));

describe("documents", () => {
  it.each(pages.filter((page) => !page.startsWith("docs/research/")))(
    "names only source files that exist in %s",
    (page) => {
      const text = readFileSync(join(repository, page), "utf8");
      const named = [...text.matchAll(/`([\w./-]+\.(?:ts|tsx|mjs))`/g)].map(([, name = ""]) => name);
      expect(named.filter((name) => !isSourceFile(name))).toEqual([]);
    },
  );

  it.each(pages)("has no broken links in %s", (page) => {
    const lost = listLinkTargets(page).filter((target) => {
      const [path = "", fragment] = target.split("#");
      const file = path === "" ? join(repository, page) : join(repository, dirname(page), path);
      return (
        !existsSync(file) || (fragment !== undefined && !listAnchors(readFileSync(file, "utf8")).includes(fragment))
      );
    });
    expect(lost).toEqual([]);
  });

  it("lists every document in the index, which the README links to", () => {
    const inIndex = listLinkTargets("docs/README.md").map((target) => join("docs", target));
    const wanted = globSync("docs/*.md", { cwd: repository }).filter((page) => page !== "docs/README.md");
    expect(wanted.filter((page) => !inIndex.includes(page))).toEqual([]);
    expect(listLinkTargets("README.md")).toContain("docs/README.md");
  });
});
