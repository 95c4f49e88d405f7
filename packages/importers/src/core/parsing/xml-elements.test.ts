import { describe, expect, it } from "vitest";
import type { Entry } from "../../tree/tree.ts";
import { readXmlElements } from "./xml-elements.ts";
import { parseXml } from "./xml-tree.ts";

const createEntry = (text: string, size: number): Entry => ({
  path: "file.xml",
  size: text.length,
  modifiedAt: 0,
  source: "file.xml",
  async *bytes(from = 0) {
    const bytes = Buffer.from(text);
    for (let at = from; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
  },
});

async function collectElements(text: string, size: number, most = 1000): Promise<string[]> {
  const lines: string[] = [];
  for await (const { name, raw, failure } of readXmlElements(createEntry(text, size), {
    childNames: ["a", "b"],
    maxBytes: most,
  }))
    lines.push(failure === undefined ? `${name}=${raw}` : `${failure.code}=${raw}`);
  return lines;
}

describe("[IMP-9] streaming XML", () => {
  const file = `<?xml version="1.0"?><!DOCTYPE r [<!-- "it's" --><!ELEMENT a (b)*>]>
    <r x="1 > 0"> text <a y='<b/>'/><!-- <a> --><b>é<a>1</a><![CDATA[</b>]]></b>
    <a
      z="/">2</a></r><a>behind the end</a>`;

  it.each([1, 3, 7, 1000])("yields the same result in chunks of %i bytes", async (size) => {
    expect(await collectElements(file, size)).toEqual([
      "a=<a y='<b/>'/>",
      "b=<b>é<a>1</a><![CDATA[</b>]]></b>",
      'a=<a\n      z="/">2</a>',
    ]);
  });

  it("resumes after any element", async () => {
    const all = await Array.fromAsync(readXmlElements(createEntry(file, 5), { childNames: ["a", "b"] }));
    for (const [i, { end }] of all.entries()) {
      const rest = await Array.fromAsync(readXmlElements(createEntry(file, 5), { childNames: ["a", "b"], from: end }));
      expect(rest.map(({ offset }) => offset)).toEqual(all.slice(i + 1).map(({ offset }) => offset));
    }
  });

  it("rejects only the element that never ends or is too long", async () => {
    expect(await collectElements("<r><a>1</a><b><x><a>2</a><a>3</a></r>", 4)).toEqual([
      "a=<a>1</a>",
      "truncated=<b><x>",
      "a=<a>2</a>",
      "a=<a>3</a>",
    ]);
    const long = `<r><b>${"long ".repeat(30)}</b> <a>1</a></r>`;
    expect((await collectElements(long, 10, 40)).map((each) => each.slice(0, 8))).toEqual(["too_long", "a=<a>1</"]);
  });

  it("decodes entities, and explains what is not XML", () => {
    expect(parseXml('<a b="&lt;&#x41;">&amp;<c/>x</a>')).toMatchObject({ attributes: { b: "<A" }, text: "&x" });
    expect(() => parseXml("<a>&nbsp;</a>")).toThrow(/entity/);
    expect(() => parseXml("<a><b></a>")).toThrow();
  });
});
