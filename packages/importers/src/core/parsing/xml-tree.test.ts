import { expect, it } from "vitest";
import { parseXml } from "./xml-tree.ts";

it("[IMP-5] rejects only the element that cannot be parsed", () => {
  const good = () => parseXml('<Record type="a &amp; b"><Inner>text</Inner></Record>');
  const expected = { name: "Record", attributes: { type: "a & b" }, children: [{ name: "Inner", text: "text" }] };
  expect(good()).toMatchObject(expected);
  for (const bad of ["<Record><Inner></Record>", "<Record", "", "<Record a=1/>", "<a>&nothing;</a>"]) {
    expect(() => parseXml(bad)).toThrow();
    expect(good()).toMatchObject(expected);
  }
});
