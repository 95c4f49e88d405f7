import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { parseManifest } from "@pdpp/contract/manifest";
import { detect } from "@pdpp/importers/plan";
import { type CliVault, createCliVault } from "@pdpp/test-support/cli/cli-vault";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { inferMapping } from "#importers/formats/tables/infer";
import { createMappingImporter } from "#importers/formats/tables/mapping";
import { parseMapping } from "#importers/formats/tables/mapping-file";
import { selectRecords, selectRejected } from "../fixtures/fixture-files.ts";
import { answers, createMemoryTree } from "../support.ts";

async function proposeMapping(path: string, content: string | Uint8Array) {
  const tree = createMemoryTree({ [path]: content }, 0);
  const [entry] = tree.entries;
  const mapping = entry === undefined ? undefined : await inferMapping(entry);
  if (mapping === undefined) throw new Error("it is no table");
  // As it is after it was written and read again.
  const importer = createMappingImporter(parseMapping(JSON.stringify(mapping)));
  const { streams } = parseManifest(importer.manifest);
  const [found] = (await detect(tree, [importer])).claims;
  if (found === undefined) throw new Error("it is not recognised again");
  const items = await Array.fromAsync(importer.read(found.claim, answers));
  return { mapping, streams, items, questions: found.claim.questions.map(({ key }) => key) };
}

const books = {
  pdpp_mapping: 1,
  shape: "notes",
  manifest: { connector_key: "my-books", display_name: "My books", version: "1.0.0" },
  streams: [
    {
      stream: "notes",
      source: { kind: "csv", columns: ["Title", "Read on"], also: ["Review", "Tags"] },
      id: { hash: ["my-books", "{Title}"], numbered: true },
      fields: {
        title: { from: "{Title}", required: true },
        body: ["{Title}: {Review}", "{Title}"],
        updated_at: { from: "{Read on}", type: "time", date_order: "detect" },
        tags: { list: [{ from: "{Tags}", split: "," }] },
      },
    },
  ],
};

describe("[IMP-25] mappings written by hand", () => {
  it("fills the fields of a shape from several columns", async () => {
    const importer = createMappingImporter(parseMapping(JSON.stringify(books)));
    const content = 'Tags,Read on,Title,Review\n"b, a",31/01/2024,Emma, fine \n,01/02/2024,Emma,\n,02/02/2024,,\n';
    const [found] = (await detect(createMemoryTree({ "a.csv": content }, 0), [importer])).claims;
    if (found === undefined) throw new Error("it is not recognized");
    expect(found.claim.questions.map(({ key }) => key)).toEqual(["time_zone"]);
    const items = await Array.fromAsync(importer.read(found.claim, answers));
    const [first, second] = selectRecords(items, "notes");
    expect(first).toMatchObject({
      body: "Emma: fine",
      updated_at: "2024-01-31T00:00:00+01:00",
      tags: ["a", "b"],
      links: [],
      is_pinned: false,
      extra: {},
    });
    expect(second).toMatchObject({ id: `${first?.id}_2`, body: "Emma", tags: [], author: null });
    expect(selectRejected(items).map(({ reason }) => reason)).toEqual(["it has no Title"]);
  });

  it.each([
    [{ ...books, pdpp_mapping: 2 }, /^pdpp_mapping: /],
    [{ ...books, shape: "novels" }, /^shape: /],
    [{ ...books, streams: [] }, /^streams: /],
    [withField("tittle", "{Title}"), /^notes has no field "tittle"/],
    [withField("title", { form: "{Title}" }), /^streams\.0\.fields\.title: .*"form"/],
    [withField("title", { from: { type: "txt" } }), /^streams\.0\.fields\.title\.from\.type: /],
  ])("names the place of a mistake", (mapping, message) => {
    expect(() => parseMapping(JSON.stringify(mapping))).toThrow(message);
  });
});

function withField(field: string, expression: unknown): unknown {
  return { ...books, streams: [{ ...books.streams[0], fields: { [field]: expression } }] };
}

describe("[IMP-15] unknown tables", () => {
  it("CSV: finds the separator, the header after other lines, dates, decimals and the key", async () => {
    const text =
      "Kontoauszug\n\nNr;Datum;Zweck;Betrag\n1;31.01.2024;Miete und Heizung;-1.234,56\n2;01.02.2024;Brot;-3,20\n";
    const { mapping, streams, items, questions } = await proposeMapping("umsatz.csv", text);
    expect(mapping.streams[0]?.source).toMatchObject({ kind: "csv", delimiter: ";" });
    expect(streams[0]).toMatchObject({ name: "umsatz", consentTimeField: "datum" });
    expect(questions).toEqual(["time_zone"]);
    expect(selectRecords(items, "umsatz")).toEqual([
      { id: "1", nr: 1, datum: "2024-01-31T00:00:00+01:00", zweck: "Miete und Heizung", betrag: -1234.56 },
      { id: "2", nr: 2, datum: "2024-02-01T00:00:00+01:00", zweck: "Brot", betrag: -3.2 },
    ]);
  });

  it("CSV: reads a long preamble, Latin-1 text, decimal commas and columns with the same name", async () => {
    const about = Array.from({ length: 13 }, (_, n) => (n === 7 ? "Saldo;1.234,56;EUR" : `Zeile ${n}`)).join("\r\n");
    const table =
      "Buchung;Empfänger;Betrag;Währung;Saldo;Währung\r\n31.01.2024;Müller;-12,30;EUR;1.234,56;EUR\r\n30.01.2024;Jörg;2.000,00;EUR;1.246,86;EUR\r\n";
    const { items, streams } = await proposeMapping("umsatz.csv", Buffer.from(`${about}\r\n${table}`, "latin1"));
    expect(streams[0]?.fields.map(({ name }) => name)).toEqual([
      "id",
      "buchung",
      "empfanger",
      "betrag",
      "wahrung",
      "saldo",
      "wahrung_2",
    ]);
    expect(selectRecords(items, "umsatz")).toMatchObject([
      { empfanger: "Müller", betrag: -12.3, wahrung: "EUR", saldo: 1234.56, wahrung_2: "EUR" },
      { empfanger: "Jörg", betrag: 2000 },
    ]);
  });

  it("CSV: reads an unnamed column, trailing separators and a line after the table", async () => {
    const rows = Array.from({ length: 9 }, (_, n) => `"3${n % 2}.01.2024";"Brot";"-${n},50";\n`).join("");
    const { items } = await proposeMapping("a.csv", `"Tag";"Was";"Umsatz";\n${rows}"Ende";"5,00 EUR";\n`);
    expect(selectRecords(items, "a").length).toBe(9);
    expect(selectRecords(items, "a")[1]).toEqual({
      id: expect.any(String),
      tag: "2024-01-31T00:00:00+01:00",
      was: "Brot",
      umsatz: -1.5,
    });
    expect(selectRejected(items).map(({ reason }) => reason)).toEqual(["Tag is not a date: Ende"]);
    const counted = await proposeMapping("b.csv", ",what,colour\n0,Fern,green\n1,Ivy,dark\n");
    expect(selectRecords(counted.items, "b")).toMatchObject([{ column_1: 0, what: "Fern" }, { column_1: 1 }]);
  });

  it("asks about ambiguous dates, and rejects rows that do not fit", async () => {
    const { questions } = await proposeMapping("a.csv", "day,what\n01/02/24,a\n03/04/24,b\n");
    expect(questions).toEqual(["date_order", "time_zone"]);
    expect((await proposeMapping("a.csv", "day,what\n05.02.2024,a\n04.01.2024,b\n")).questions).toEqual(["time_zone"]);
    const rows = Array.from({ length: 10 }, (_, n) => `2024-01-0${(n % 9) + 1},${n}`).join("\n");
    const { items } = await proposeMapping("b.csv", `day,n\n${rows}\nnever,5\n`);
    expect([selectRecords(items, "b").length, selectRejected(items).map(({ reason }) => reason)]).toEqual([
      10,
      ["day is not a date: never"],
    ]);
  });

  it("reads times with AM and PM, in words, without separators, and as epoch seconds", async () => {
    for (const [times, at] of [
      [["1/31/2024 3:45 PM", "1/30/2024 12:05 AM"], "2024-01-31T15:45:00+01:00"],
      [["1/31/2024, 3:45:10 p.m.", "1/30/2024, 11:05:10 a.m."], "2024-01-31T15:45:10+01:00"],
      [["2024/01/31", "2024/01/30"], "2024-01-31T00:00:00+01:00"],
      [["31-01-2024", "30-01-2024"], "2024-01-31T00:00:00+01:00"],
      [["20240131", "20240130"], "2024-01-31T00:00:00+01:00"],
      [["Jan 31, 2024", "Jan 30, 2024"], "2024-01-31T00:00:00+01:00"],
      [["31 January 2024 15:45", "30 January 2024 15:45"], "2024-01-31T15:45:00+01:00"],
      [["31.01.2024 15:45 +0100", "30.01.2024 15:45 +0100"], "2024-01-31T14:45:00.000Z"],
      [["1706712300", "1706712301"], "2024-01-31T14:45:00.000Z"],
      [["1706712300000", "1706712301000"], "2024-01-31T14:45:00.000Z"],
    ] as const) {
      const { streams, items, questions } = await proposeMapping(
        "t.csv",
        `what;created\na;${times[0]}\nb;${times[1]}\n`,
      );
      expect([streams[0]?.consentTimeField, questions]).toEqual(["created", ["time_zone"]]);
      expect(selectRecords(items, "t")[0]?.created).toBe(at);
    }
    const { questions } = await proposeMapping("t.csv", "booked,valued\n31/01/2024,02/02/2024\n");
    expect(questions).toEqual(["time_zone"]);
  });

  it("recognizes numbers, and does not read thousands separators as decimals", async () => {
    const { items } = await proposeMapping(
      "n.csv",
      'Steps,Weight,Phone,Address,Order,Size\n"10,432",1.5,+491701234567,192.168.1.1,12345678901234567890,1.2.3\n"8,001",0.250,+491701234568,10.0.0.12,12345678901234567891,1.2.4\n',
    );
    expect(selectRecords(items, "n")[0]).toMatchObject({
      steps: 10_432,
      weight: 1.5,
      phone: "+491701234567",
      address: "192.168.1.1",
      order: "12345678901234567890",
      size: "1.2.3",
    });
    const german = await proposeMapping("g.csv", "Ort;Einwohner;Kosten\nUlm;128.928;1,250\nJena;110.731;−0,5\n");
    expect(selectRecords(german.items, "g")).toMatchObject([
      { einwohner: 128_928, kosten: 1.25 },
      { einwohner: 110_731, kosten: -0.5 },
    ]);
  });

  it("does not choose a mostly empty column as the title", async () => {
    const { streams } = await proposeMapping("d.csv", "what,remark\nbread,\nmilk,came back on the same day\neggs,\n");
    const roles = streams[0]?.fields.map(({ name, role }) => [name, role]);
    expect(roles).toContainEqual(["what", "primary-title"]);
  });

  it('does not take "paid" for a key or an id for a title, and keeps a repeated id as a column', async () => {
    const listRoles = async (path: string, text: string) => {
      const { mapping, streams, items } = await proposeMapping(path, text);
      const fields = streams[0]?.fields ?? [];
      const findNamed = (role: string) => fields.find((field) => field.role === role)?.name;
      return { key: mapping.streams[0]?.key, title: findNamed("primary-title"), body: findNamed("body"), items };
    };
    expect(await listRoles("a.csv", "what,Amount paid\nbread,1.5\nmilk,2.5\n")).toMatchObject({
      key: [],
      title: "what",
    });
    const things = ["0", "1"].map((n) => ({
      id: `550e8400-e29b-41d4-a716-44665544000${n}`,
      name: n,
      url: `https://example.org/${"long/".repeat(20)}${n}`,
      name_of_it: `Fern ${n}`,
    }));
    expect(await listRoles("b.json", JSON.stringify(things))).toMatchObject({
      key: ["id"],
      title: "name_of_it",
      body: undefined,
    });
    const { items } = await listRoles("c.csv", "id,thing\n7,a\n7,b\n");
    expect(selectRecords(items, "c")).toMatchObject([
      { id_2: 7, thing: "a" },
      { id_2: 7, thing: "b" },
    ]);
  });

  it("declares sums of numbers, and groups by short texts and booleans", async () => {
    const rows = [
      { id: "p1", date: "2024-01-31", shop: "Corner", note: "x".repeat(90), price: 12.5, paid: true },
      { id: "p2", date: "2024-02-01", shop: "Corner", note: "y".repeat(90), price: 3, paid: false },
    ];
    const { mapping, streams } = await proposeMapping("purchases.json", JSON.stringify(rows));
    expect(mapping.manifest.streams).toMatchObject([
      {
        query: {
          aggregations: {
            count: true,
            sum: ["price"],
            min: ["price", "date"],
            max: ["price", "date"],
            group_by: ["shop", "paid"],
            group_by_time: ["date"],
          },
        },
      },
    ]);
    expect(streams[0]?.fields.find(({ name }) => name === "price")?.role).toBe("amount");
  });

  it("keeps equal rows without a key as separate records", async () => {
    const { items } = await proposeMapping("c.csv", "what,n\nbread,1\nbread,1\nmilk,2\n");
    expect(new Set(selectRecords(items, "c").map(({ id }) => id)).size).toBe(3);
  });

  it("reads both forms of JSON, and NDJSON", async () => {
    const rows = [
      { id: "x1", at: "2024-01-01T10:00:00Z", tags: ["a"], ok: true },
      { id: "x2", at: "2024-01-02T10:00:00Z", tags: [], ok: false },
    ];
    for (const [path, text, stream] of [
      ["list.json", JSON.stringify(rows), "list"],
      ["object.json", JSON.stringify({ version: 1, things: rows }), "things"],
      ["lines.ndjson", rows.map((row) => JSON.stringify(row)).join("\n"), "lines"],
    ] as const) {
      const { items } = await proposeMapping(path, text);
      expect(selectRecords(items, stream)).toEqual(rows.map((row) => ({ ...row, at: row.at.replace("Z", ".000Z") })));
    }
  });

  it("SQLite: makes a stream of every table", async () => {
    const database = new DatabaseSync(":memory:");
    database.exec(
      "CREATE TABLE plants(id INTEGER PRIMARY KEY, name TEXT, watered TEXT); CREATE TABLE pots(size REAL, colour TEXT); CREATE TABLE words(word TEXT PRIMARY KEY, n INT) WITHOUT ROWID",
    );
    database.exec(
      "INSERT INTO plants VALUES (7, 'Fern', '2024-01-01'), (9, 'Ivy', '2024-01-02'); INSERT INTO pots VALUES (1.5, 'red'); INSERT INTO words VALUES ('moss', 3)",
    );
    const { items } = await proposeMapping("garden.db", database.serialize());
    database.close();
    expect(selectRecords(items, "plants")).toMatchObject([
      { id: "7", name: "Fern" },
      { id: "9", name: "Ivy" },
    ]);
    expect(selectRecords(items, "pots")).toMatchObject([{ size: 1.5, colour: "red" }]);
    expect(selectRecords(items, "words")).toMatchObject([{ word: "moss", n: 3 }]);
  });

  describe("on the command line", () => {
    let vault: CliVault;
    let folder: string;
    beforeAll(() => {
      vault = createCliVault({ isInProcess: true });
      folder = join(vault.directory, "tables");
      mkdirSync(folder);
    });
    afterAll(() => vault.drop());

    it("writes a proposal without importing, and uses it once its owner has edited it", async () => {
      const file = join(folder, "plants.csv");
      writeFileSync(file, "No,Plant,Watered\n1,Fern,2024-01-31\n2,Ivy,2024-02-01\n");
      const unknown = await vault.run(["import", file, "--dry-run"]);
      expect([unknown.code, unknown.stderr.includes("--infer")]).toEqual([1, true]);
      const { data } = await vault.json<{ data: { written: string; preview: object[] }[] }>([
        "import",
        file,
        "--infer",
      ]);
      expect(data).toMatchObject([{ written: `${file}.pdpp.json`, preview: [{ plant: "Fern" }, { plant: "Ivy" }] }]);
      expect((await vault.json<{ data: unknown[] }>(["connector", "list"])).data).toEqual([]);
      // The owner's mapping is never overwritten.
      expect((await vault.run(["import", file, "--infer"])).code).not.toBe(0);

      const text = readFileSync(`${file}.pdpp.json`, "utf8");
      writeFileSync(`${file}.pdpp.json`, text.replaceAll('"plant"', '"species"'));
      expect((await vault.run(["import", file, "--yes", "--time-zone", "UTC"])).code).toBe(0);
      // Next month's table has another name and the same columns.
      writeFileSync(join(folder, "plants-2.csv"), "No,Plant,Watered\n2,Ivy,2024-03-01\n3,Moss,2024-03-02\n");
      expect((await vault.run(["import", join(folder, "plants-2.csv"), "--yes", "--time-zone", "UTC"])).code).toBe(0);
      const { stdout } = await vault.run(["export"]);
      const records = stdout
        .trim()
        .split("\n")
        .map((line) => JSON.parse(line).data);
      expect(records.map(({ id, species }) => [id, species]).sort()).toEqual([
        ["1", "Fern"],
        ["2", "Ivy"],
        ["3", "Moss"],
      ]);
      expect(existsSync(join(folder, "plants-2.csv.pdpp.json"))).toBe(false);
    });
  });
});
