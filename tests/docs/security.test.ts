import { readPage } from "@pdpp/test-support/repository/documents";
import { groupTestsById, parseIds, readSpecRequirements } from "@pdpp/test-support/repository/requirements";
import { describe, expect, it } from "vitest";

const page = readPage("security.md");
const promises = findSection(page, "What pdpp promises");

/** The text of a second-level section. */
function findSection(text: string, heading: string): string {
  const section = text.split(/^## /m).find((part) => part.startsWith(`${heading}\n`));
  if (section === undefined) throw new Error(`no section "${heading}"`);
  return section;
}

/** Items with their continuation lines, each on one line. */
const listItems = (section: string): string[] =>
  [...section.matchAll(/^- .*(?:\n {2}.*)*/gm)].map(([item]) => item.replaceAll(/\n {2}/g, " "));

describe("[MEAS-3] docs/security.md", () => {
  it("names only ids that are in the spec and in the title of a test", () => {
    const specified = new Set(readSpecRequirements().map(({ id }) => id));
    const tested = groupTestsById();
    const ids = [...new Set(parseIds(page))];
    expect(ids.length).toBeGreaterThan(50);
    expect(ids.filter((id) => !specified.has(id) || !tested.has(id))).toEqual([]);
  });

  it("lists each id by itself, without ranges", () => {
    const brackets = [...page.matchAll(/\[[^\]]*\b[A-Z]{3,}-\d+[^\]]*\](?!\()/g)].map(([bracket]) => bracket);
    expect(brackets.filter((bracket) => parseIds(bracket).length === 0)).toEqual([]);
  });

  it("ends each promise with an id", () => {
    const items = listItems(promises);
    expect(items.length).toBeGreaterThan(20);
    expect(items.filter((item) => parseIds(/\[[^[\]]*\]$/.exec(item)?.[0] ?? "").length === 0)).toEqual([]);
  });

  it("says what is not promised", () => {
    const items = listItems(findSection(page, "What is not promised")).join("\n");
    for (const topic of [
      "Other users of your computer, on plain http",
      "compromised owner",
      "agent has already read",
      "Timing",
      "owners of one vault can infer",
      "Limits across servers",
    ])
      expect(items).toContain(topic);
  });
});
