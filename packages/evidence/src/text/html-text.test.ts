import { measureGrowth } from "@pdpp/test-support/processes/cpu-time";
import { describe, expect, it } from "vitest";
import { extractHtmlText } from "./html-text.ts";

describe("[WIN-6] the text of HTML", () => {
  it.each<[string, string, string]>([
    ["puts blocks on lines", "<h1>A</h1><p>b <i>c</i>\n d</p><div>e</div><div>f<br>g</div>", "A\n\nb c d\n\ne\nf\ng"],
    ["separates cells", "<table><tr><td>1</td><td>2</td></tr><tr><td>3</td></tr></table>", "1\t2\n3"],
    ["decodes entities", "&amp;lt; &eacute;&#x1F44D; &copy &#xD800;", "&lt; é👍 © \ufffd"],
    [
      "keeps the words of links and images",
      '<a href="x">here</a><img src=y alt="a &quot;map&quot;">.',
      'here a "map" .',
    ],
    ["keeps preformatted text", "<p>x</p><pre>a\r\n  b</pre>y", "x\n\na\n  b\n\ny"],
    [
      "scripts, styles, titles, templates and comments are not said",
      "<!doctype html><head><title>t</title><style>p{}</style><script>1<2</script><p>yes<!-- no --><template>a<template>b</template>c</template>!",
      "yes!",
    ],
    ["ignores an empty drawing", "a<svg><style/><title/></svg>b", "ab"],
    ["keeps text of unclosed elements", "<div><b>a<p>b", "a\n\nb"],
    ["returns nothing for nothing", "", ""],
  ])("%s", async (_, html, text) => expect(await extractHtmlText(html, false)).toBe(text));

  it("recognizes self-closing tags in XHTML", async () =>
    expect(await extractHtmlText('<title/><script src="a"/><p>b</p><![CDATA[c]]>', true)).toBe("b\n\nc"));

  it.each<[string, (size: number) => string]>([
    ["deeply nested tags", (size) => "<div>".repeat(size)],
    ["closing tags without an opening", (size) => `${"<i>".repeat(size)}${"</b>".repeat(size)}`],
    ["attributes", (size) => `<a ${Array.from({ length: size }, (_, i) => `a${i}`).join(" ")}>`],
    ["ampersands", (size) => "&".repeat(size)],
    ["an unterminated entity", (size) => `&#${"1".repeat(size)}`],
    ["an unterminated comment", (size) => `<!--${"-".repeat(size)}`],
    ["opening angle brackets", (size) => "<".repeat(size)],
    ["spaces", (size) => " ".repeat(size)],
  ])("[BIG-1] reads a million of %s in linear time", async (_, html) => {
    const read = (size: number) => extractHtmlText(`${html(size)}end`, false);
    expect(
      await measureGrowth(
        () => read(100_000),
        () => read(1_000_000),
      ),
    ).toBeLessThan(50);
  });
});
