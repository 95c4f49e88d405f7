import fc from "fast-check";
import { expect, it } from "vitest";
import { cleanHtml } from "./clean-html.ts";

it("[CSL-110] keeps text, tables, styles and embedded pictures", () => {
  const html = `<html><head><title>x</title><style>p { color: red }</style></head><body bgcolor="#fff"><p style="color:blue">Hello <b>Ada</b> &amp; co</p>
<table border="1"><tr><td colspan="2">cell</td></tr></table><img alt="logo" src="data:image/png;base64,AAAA"><a href="https://example.org/x">link</a></body></html>`;
  const clean = cleanHtml(html);
  for (const kept of [
    "<style>p { color: red }</style>",
    '<p style="color:blue">Hello <b>Ada</b> &amp; co</p>',
    '<td colspan="2">cell</td>',
    '<img alt="logo" src="data:image/png;base64,AAAA">',
    "<a>link</a>",
  ])
    expect(clean.html).toContain(kept);
  expect(clean.html).not.toContain("<title>");
  expect([clean.remoteImages, clean.hasActiveParts]).toEqual([0, false]);
  expect(clean.links).toEqual([{ href: "https://example.org/x", text: "link" }]);
});

it("[CSL-110] counts what can be seen", () => {
  const count = (html: string) => {
    const { textChars, pictureCount } = cleanHtml(html);
    return [textChars, pictureCount];
  };
  expect(count("<style>p{}</style><p>Hello <b>Ada</b></p><script>hit()</script>")).toEqual([8, 0]);
  expect(count('<img src="cid:a"><img src="data:image/png;base64,AA"><img src="https://example.org/x.png">')).toEqual([
    0, 2,
  ]);
  expect(count("<table> <tr><td>\n</td></tr></table>")).toEqual([0, 0]);
});

it("[CSL-111] embeds attached pictures, and only as pictures", () => {
  const html = '<img src="cid:a%40x"><img src=" CID:b@x"><img src="cid:%zz"><img src="cid:a@x">';
  const pictures = new Map([
    ["a@x", "data:image/png;base64,AAAA"],
    ["b@x", 'data:text/html,"><script>hit()</script>'],
  ]);
  const clean = cleanHtml(html, pictures);
  expect(clean.attachedImages).toEqual(["a@x", "b@x", "%zz", "a@x"]);
  expect(clean.html).toBe('<img src="data:image/png;base64,AAAA"><img><img><img src="data:image/png;base64,AAAA">');
  expect(clean.remoteImages).toBe(0);
});

it("[CSL-110] removes what would run or load, and counts it", () => {
  const attacks = [
    "<script>hit()</script>",
    '<meta http-equiv="refresh" content="0;url=https://example.org">',
    '<base href="https://example.org/">',
    '<link rel="stylesheet" href="https://example.org/x.css"><link rel="dns-prefetch" href="//example.org">',
    '<form action="https://example.org"><input name="a"><button>Go</button></form>',
    '<iframe src="https://example.org"></iframe><object data="x"></object><embed src="x">',
    '<svg onload="hit()"><script>hit()</script><image href="https://example.org/x"/></svg>',
    '<p onclick="hit()">text</p>',
    '<a href="javascript:hit()">here</a>',
  ];
  for (const attack of attacks) {
    const { html, links } = cleanHtml(attack);
    expect(html).not.toMatch(/<(?!\/?(?:p|a)\b)|hit|example\.org| on|href/);
    expect(links).toEqual([]);
  }
  const remote = cleanHtml(
    '<img src="https://example.org/1.gif"><img src="//example.org/2"><div style="background:url(https://example.org/3)"><td background="https://example.org/4">',
  );
  expect([remote.remoteImages, remote.html.includes("example.org")]).toEqual([4, false]);
  const hidden = cleanHtml(
    String.raw`<style>p { background: u\72l(https://example.org/x); content: image-set("https:example.org/y") }</style>`,
  );
  expect(hidden.html).not.toMatch(/url|https/);
  expect(cleanHtml("<style>@import url(https://example.org/x.css); p{}</style>").html).not.toContain("example.org");
});

it("[CSL-110] has only harmless elements and attributes, whatever the HTML", () => {
  const piece = fc.constantFrom(
    "<",
    ">",
    '"',
    "'",
    "=",
    "/",
    "&",
    " ",
    "text",
    "<p",
    "<a href=",
    "javascript:x",
    "https://example.org",
    "<img src=",
    "<svg>",
    "</svg>",
    "<style>",
    "</style>",
    "<script>",
    "</script>",
    "<!--",
    "-->",
    "<![CDATA[",
    "onload=x",
    "<math>",
    "<title>",
    "</title>",
    "<textarea>",
    "style=",
    "url(//x)",
    "<table>",
    "<td>",
    "</p>",
    "<plaintext>",
    "&lt;script&gt;",
  );
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 40 }), (pieces) => {
      const { html } = cleanHtml(pieces.join(""));
      expect(html).not.toMatch(
        /<(?:script|svg|math|iframe|object|embed|form|input|link|meta|base|title|textarea|plaintext)/i,
      );
      for (const [tag] of html.matchAll(/<[a-z][^>]*>/gi))
        expect(tag).not.toMatch(/\s(?:on\w+|href|srcset|background)=/i);
      for (const [, src = ""] of html.matchAll(/ src="([^"]*)"/g)) expect(src).toMatch(/^data:image\//);
    }),
  );
});
