import { readFileSync } from "node:fs";
import { formats } from "@pdpp/importers/formats";
import { expect, it } from "vitest";

const text = readFileSync(new URL("../../docs/importing.md", import.meta.url), "utf8");
const section = text.slice(text.indexOf("## What comes from where"), text.indexOf("## Tried on"));
const rows = section
  .split("\n")
  .filter((line) => line.startsWith("| ") && line.includes("`"))
  .map((line) => line.slice(2, -2).split(" | "));

it("[IMP-1] documents for every format how to get it, how long that takes, and what is and is not imported", () => {
  const said = rows.flatMap(([name = ""]) => [...name.matchAll(/`([\w-]+)`/g)].map(([, key]) => key));
  expect(said.toSorted()).toEqual(formats.map(({ key }) => key).toSorted());
  for (const row of rows) {
    expect(row.length, row[0]).toBe(4);
    expect(row[1], row[0]).toMatch(/minute|hour|day|week|at once|as they are|own file/i);
    for (const cell of row) expect(cell.trim()).not.toBe("");
  }
});

it("[IMP-1] marks untested formats as unproven", () => {
  for (const { key, testedWith: proof } of formats) {
    const [name] = rows.find((row) => row[0]?.includes(`\`${key}\``)) ?? [];
    expect(/unproven/.test(name ?? ""), key).toBe(proof === "unproven");
  }
});
