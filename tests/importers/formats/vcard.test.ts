import type { Item } from "@pdpp/importers/importer";
import { detect } from "@pdpp/importers/plan";
import { describe, expect, it } from "vitest";
import { vcard } from "#importers/formats/vcard/vcard";
import { answers, createMemoryTree } from "../support.ts";

async function read(...lines: string[]): Promise<Item[]> {
  const { claims } = await detect(createMemoryTree({ "a.vcf": `${lines.join("\r\n")}\r\n` }, 0), [vcard]);
  const found: Item[] = [];
  for (const { claim } of claims) for await (const item of vcard.read(claim, answers)) found.push(item);
  return found.filter(({ kind }) => kind !== "mark");
}

const readCard = (...lines: string[]): string[] => ["BEGIN:VCARD", "VERSION:3.0", ...lines, "END:VCARD"];

describe("[IMP-11] contacts", () => {
  it("begin behind a byte order mark, too", async () => {
    const [begin = "", ...rest] = [...readCard("FN:Ada"), ...readCard("FN:Ben")];
    expect(await read(`\ufeff${begin}`, ...rest)).toMatchObject([
      { kind: "record", data: { display_name: "Ada" } },
      { kind: "record", data: { display_name: "Ben" } },
    ]);
  });

  it("have the year of a birthday only where somebody said it", async () => {
    const found = await read(
      ...readCard("FN:Ada", "BDAY;X-APPLE-OMIT-YEAR=1604;VALUE=date:1604-12-10"),
      ...readCard("FN:Ben", "BDAY:1815-12-10"),
      ...readCard("FN:Cleo", "BDAY:--0412"),
    );
    expect(found).toMatchObject(["--12-10", "1815-12-10", "--0412"].map((birthday) => ({ data: { birthday } })));
  });
});
