import { expect, it } from "vitest";
import { parseContentLines } from "./content-lines.ts";

it("[IMP-11] restores a character that a fold splits", () => {
  const bytes = Buffer.from("SUMMARY:Café im Grünen\r\nLOCATION:Köln");
  const inside = bytes.indexOf("é") + 1;
  const whole = Buffer.concat([bytes.subarray(0, inside), Buffer.from("\r\n "), bytes.subarray(inside)]);
  expect(parseContentLines(whole).map(({ value }) => value)).toEqual(["Café im Grünen", "Köln"]);
  // Windows-1252 text is never folded within a character.
  expect(parseContentLines(Buffer.from("SUMMARY:Gr\u00fc\r\n n", "latin1"))[0]?.value).toBe("Grün");
});

it("[IMP-11] keeps quoted values together and ignores an unclosed quote", () => {
  const read = (line: string) => parseContentLines(Buffer.from(line))[0];
  // Some programs put the closing quote after the value.
  const late = read('DTSTART;TZID="W. Europe Standard Time:20200609T090000"');
  expect([late?.params.get("TZID"), late?.value]).toEqual([["W. Europe Standard Time"], "20200609T090000"]);
  expect(read('ORGANIZER;CN="Doe, Ada; Dr.":mailto:a@x.example')).toMatchObject({ value: "mailto:a@x.example" });
  expect(read('ORGANIZER;CN="Doe, Ada; Dr.":mailto:a@x.example')?.params.get("CN")).toEqual(["Doe, Ada; Dr."]);
  expect(read("TEL;TYPE=home,cell:1")?.params.get("TYPE")).toEqual(["home", "cell"]);
  expect(read('TEL;TYPE="home,cell":1')?.params.get("TYPE")).toEqual(["home", "cell"]);
  expect(read('ATTENDEE;CN="Ada;ROLE=CHAIR:mailto:a@x.example')).toMatchObject({ value: "mailto:a@x.example" });
});
