import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  foldName,
  getIdentityValue,
  identifyEmail,
  identifyName,
  identifyPhone,
  parseWrittenPerson,
} from "./identity.ts";

describe("identities", () => {
  it.each([
    ["Noor Achterwald <Noor@Tidewater.example.net>", "Noor Achterwald", "email:noor@tidewater.example.net"],
    ['"Achterwald, Noor" <noor@tidewater.example.net>', "Achterwald, Noor", "email:noor@tidewater.example.net"],
    ["noor@tidewater.example.net", "", "email:noor@tidewater.example.net"],
    ["mailto:noor@tidewater.example.net", "", "email:noor@tidewater.example.net"],
    ["Noor", "Noor", undefined],
    ["Noor <not an address>", "Noor <not an address>", undefined],
  ])("[PPL-1] reads %j", (text, name, email) => {
    expect(parseWrittenPerson(text)).toEqual({ name, ...(email === undefined ? {} : { email }) });
  });

  it.each([
    ["mobile: +49 (0)555 010-2208", "phone:+495550102208"],
    ["0049 555 0102208", "phone:+495550102208"],
    ["0555 0102208", "phone:05550102208"],
    ["12", undefined],
    ["extension", undefined],
  ])("[PPL-1] reads the number in %j", (text, identity) => {
    expect(identifyPhone(text)).toBe(identity);
  });

  it("[PPL-2] keeps a name within its connection, and folds only case, marks and punctuation", () => {
    expect(identifyName("one", "Nóor  ACHTERWALD")).toBe(identifyName("one", "noor achterwald"));
    expect(identifyName("one", "Noor")).not.toBe(identifyName("two", "Noor"));
    expect(foldName("N. Achterwald")).not.toBe(foldName("Noor Achterwald"));
    expect(getIdentityValue("name:one:noor achterwald")).toBe("noor achterwald");
  });

  it("[PPL-1] accepts any text, and no identity is too long for an index", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary", maxLength: 400 }), (text) => {
        const found = [
          identifyEmail(text),
          identifyPhone(text),
          identifyName("one", text),
          parseWrittenPerson(text).email,
        ];
        const isGood = (each = "") => each.length < 250 && !/\p{C}/u.test(each);
        return found.every(isGood);
      }),
    );
  });
});
