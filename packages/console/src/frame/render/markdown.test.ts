import fc from "fast-check";
import { expect, it } from "vitest";
import { renderMarkdown } from "./markdown.tsx";
import { createWordMarker } from "./marked-text.tsx";

const render = (text: string, words: readonly string[] = []): string =>
  String(renderMarkdown(text, createWordMarker(words)));

it("[CSL-106] renders what people write", () => {
  expect(render("# Plan\n\nBuy **two** *small* `nails`\n\n1. one\n2. two")).toBe(
    "<p><strong>Plan</strong></p><p>Buy <strong>two</strong> <em>small</em> <code>nails</code></p><ol><li>one</li><li>two</li></ol>",
  );
  expect(render("```js\nif (a < b) {}\n```")).toBe('<pre tabindex="0"><code>if (a &lt; b) {}</code></pre>');
  expect(render("the foghorn", ["foghorn"])).toBe("<p>the <mark>foghorn</mark></p>");
});

it("[CSL-106] keeps HTML as text, loads no picture, and links to web and mail addresses only", () => {
  expect(render("<script>alert(1)</script>")).toBe("<p>&lt;script&gt;alert(1)&lt;/script&gt;</p>");
  expect(render('<img src="https://example.org/x" onerror="alert(1)">')).not.toContain("<img");
  expect(render("![a cat](https://example.org/cat.png)")).toBe(
    '<p><a href="https://example.org/cat.png" rel="noopener noreferrer nofollow" target="_blank">Picture: a cat</a></p>',
  );
  for (const link of [
    "javascript:alert(1)",
    "data:text/html,x",
    "/settings",
    "//example.org",
    "vbscript:x",
    "file:///etc",
  ])
    expect(render(`[here](${link}) ![x](${link})`)).not.toContain("<a");
});

it("[CSL-106] renders text that nests without end", () => {
  for (const text of [">".repeat(6000), "- ".repeat(3000), "[".repeat(6000), "*a ".repeat(2000), "![".repeat(3000)])
    expect(render(text).length).toBeLessThan(100_000);
});

it("[CSL-106] has no elements but its own, whatever the text", () => {
  const piece = fc.constantFrom(
    ..."*_`~[]()<>!#-+|:\\&\"'\n ".split(""),
    "<svg onload=x>",
    "](javascript:x)",
    "](https://example.org)",
    "```",
    "| a |\n|--|\n",
    "&lt;b&gt;",
    "<!--",
    "word",
  );
  const allowed = /^(?:p|ul|ol|li|blockquote|strong|em|s|a|div|table|thead|tbody|tr|th|td|br|hr|code|pre)$/;
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 40 }), (pieces) => {
      const html = render(pieces.join(""));
      for (const [, name = ""] of html.matchAll(/<\/?([a-z0-9]+)/g)) expect(name).toMatch(allowed);
      for (const [, href = ""] of html.matchAll(/ href="([^"]*)"/g)) expect(href).toMatch(/^(?:https?:\/\/|mailto:)/);
    }),
  );
});
