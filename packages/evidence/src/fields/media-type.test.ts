import { describe, expect, it } from "vitest";
import { getCharset, getTextKind, isXml } from "./media-type.ts";

describe("[BIG-2] a media type decides whether bytes are text", () => {
  it.each([
    "text/plain",
    "TEXT/Plain; charset=utf-8",
    "text/csv",
    "text/markdown",
    "application/json",
    "application/ld+json",
    "application/xml",
    "image/svg+xml",
    "application/javascript",
    "application/x-ndjson",
  ])("%s is", (type) => expect(getTextKind(type)).toBe("plain"));

  it.each(["text/html", "Text/HTML;charset=x", "application/xhtml+xml"])("%s has text inside", (type) =>
    expect(getTextKind(type)).toBe("html"),
  );

  it.each([
    ["application/pdf", "pdf"],
    ["Application/PDF; x=y", "pdf"],
    ["application/vnd.openxmlformats-officedocument.wordprocessingml.document", "docx"],
  ])("[BIG-7] %s has text for a parser", (type, kind) => expect(getTextKind(type)).toBe(kind));

  it.each([
    "image/png",
    "application/msword",
    "application/octet-stream",
    "text",
    "text/",
    "json",
    "",
    "x; text/plain",
  ])("%j is not", (type) => expect(getTextKind(type)).toBeNull());

  it("and in which character set", () => {
    expect(getCharset("text/plain")).toBeUndefined();
    expect(getCharset("text/plain; charset=ISO-8859-1")).toBe("ISO-8859-1");
    expect(getCharset('text/plain;format=flowed;CharSet = "utf-16le"; x=y')).toBe("utf-16le");
    expect([isXml("application/xml"), isXml("image/svg+xml; a=b"), isXml("text/plain")]).toEqual([true, true, false]);
  });
});
