import { detect } from "@pdpp/importers/plan";
import { describe, expect, it } from "vitest";
import { formats } from "#importers/formats/formats";
import { selectRecords } from "../fixtures/fixture-files.ts";
import type { Files } from "../generators/generator.ts";
import { answers, createMemoryTree } from "../support.ts";

async function readRecords(files: Files) {
  const [first] = (await detect(createMemoryTree(files, 0), formats)).claims;
  if (first === undefined) throw new Error("nothing is recognised");
  const items = await Array.fromAsync(first.importer.read(first.claim, answers));
  return { key: first.importer.key, questions: first.claim.questions.map(({ key }) => key), items };
}

describe("[IMP-11] tables of known sources", () => {
  it("Netflix: detects the date order from the file, or asks for it", async () => {
    const seen = await readRecords({ "NetflixViewingHistory.csv": 'Title,Date\n"A, B",1/31/24\nC,2/1/24\n' });
    expect([seen.key, seen.questions]).toEqual(["netflix", ["time_zone"]]);
    expect(selectRecords(seen.items, "events")).toMatchObject([
      { title: "A, B", happened_at: "2024-01-31T00:00:00+01:00", local_time: "2024-01-31" },
      { title: "C", happened_at: "2024-02-01T00:00:00+01:00" },
    ]);
    expect((await readRecords({ "a.csv": "Title,Date\nA,01/02/24\n" })).questions).toEqual(["date_order", "time_zone"]);
  });

  it("Netflix and QIF: detects the date order in a list that begins with the newest entry", async () => {
    const days = ["02/04/24", "09/03/24", "05/03/24"];
    const netflix = await readRecords({ "a.csv": `Title,Date\n${days.map((day) => `A,${day}\n`).join("")}` });
    expect(netflix.questions).toEqual(["time_zone"]);
    expect(selectRecords(netflix.items, "events").map(({ local_time }) => local_time)).toEqual([
      "2024-04-02",
      "2024-03-09",
      "2024-03-05",
    ]);
    const qif = await readRecords({ "a.qif": `!Type:Bank\n${days.map((day) => `D${day}\nT-5.00\n^\n`).join("")}` });
    expect(selectRecords(qif.items, "transactions").map(({ booked_on }) => booked_on)).toEqual([
      "2024-04-02",
      "2024-03-09",
      "2024-03-05",
    ]);
  });

  it("reads dates with dots as day first, without asking", async () => {
    const netflix = await readRecords({ "a.csv": "Title,Date\nA,05.02.24\n" });
    expect(netflix.questions).toEqual(["time_zone"]);
    expect(selectRecords(netflix.items, "events")).toMatchObject([{ local_time: "2024-02-05" }]);
    const qif = await readRecords({ "a.qif": "!Type:Bank\nD05.02.2024\nT-5.00\n^\n" });
    expect(qif.questions).toEqual([]);
    expect(selectRecords(qif.items, "transactions")).toMatchObject([{ booked_on: "2024-02-05" }]);
  });

  it("LinkedIn: skips the lines before the table", async () => {
    const text =
      'Notes:\n"About privacy."\n\nFirst Name,Last Name,URL,Email Address,Company,Position,Connected On\nAda,L,https://l.example/ada,,Engines,Analyst,31 Jan 2024\n';
    const { key, items } = await readRecords({ "Connections.csv": text });
    expect(key).toBe("linkedin");
    expect(selectRecords(items, "contacts")).toMatchObject([
      { display_name: "Ada L", updated_at: "2024-01-31T00:00:00Z" },
    ]);
  });

  it("PayPal: reads dates and decimals in the format of the country", async () => {
    const head = '"Date","Time","TimeZone","Name","Type","Status","Currency","Gross","Fee","Net","Transaction ID"';
    const { key, items } = await readRecords({
      "Download.CSV": `${head}\n"31.01.2024","10:00","CET","Shop","Zahlung","Completed","EUR","-1.234,56","0,00","-1.234,56","X1"\n`,
    });
    expect(key).toBe("paypal");
    expect(selectRecords(items, "transactions")).toMatchObject([
      { id: "X1", amount: -1234.56, booked_on: "2024-01-31" },
    ]);
    expect(selectRecords(items, "accounts").length).toBe(1);
  });

  it("PayPal: reads German files, statements and refused payments", async () => {
    const german = await readRecords({
      "a.csv":
        '\ufeff"Datum","Uhrzeit","Zeitzone","Name","Typ","Status","Währung","Brutto","Entgelt","Netto","Transaktionscode","Artikelbezeichnung"\n"31.01.2024","10:00:00","CET","Shop","Zahlung","Abgeschlossen","EUR","-1.234,56","0,00","-1.234,56","X1","Lampe"\n"30.01.2024","10:00:00","CET","Shop","Zahlung","Abgelehnt","EUR","-5,00","0,00","-5,00","X2",""\n',
    });
    expect(german.key).toBe("paypal");
    expect(selectRecords(german.items, "transactions")).toMatchObject([
      { id: "X1", amount: -1234.56, description: "Lampe", status: "booked", extra: { fee: 0, time_zone: "CET" } },
      { id: "X2", amount: -5, status: "abgelehnt" },
    ]);
    const statement = await readRecords({
      "a.csv":
        '"Date","Time","Time Zone","Description","Currency","Gross","Fee","Net","Balance","Transaction ID","Name","Invoice ID"\n"1/31/2024","10:00:00","PST","Express Checkout","USD","-5.00","0.00","-5.00","1.00","X3","Shop","I1"\n',
    });
    expect(selectRecords(statement.items, "transactions")).toMatchObject([
      { id: "X3", kind: "Express Checkout", status: "booked", reference: "I1" },
    ]);
  });

  it("Letterboxd: skips deleted films, and does not count liked films as watched", async () => {
    const buildDiary = (name: string) =>
      `Date,Name,Year,Letterboxd URI,Rating,Rewatch,Tags,Watched Date\n2024-01-31,${name},1979,https://boxd.it/${name},4.5,,,2024-01-30\n`;
    const { items } = await readRecords({
      "diary.csv": buildDiary("Alien"),
      "deleted/diary.csv": buildDiary("Gone"),
      "likes/films.csv": "Date,Name,Year,Letterboxd URI\n2024-01-31,Alien,1979,https://boxd.it/9\n",
    });
    expect(selectRecords(items, "events").map(({ title, kind }) => [title, kind])).toEqual([
      ["Alien", "watched"],
      ["Alien", "liked"],
    ]);
    expect(items.filter(({ kind }) => kind === "skipped").length).toBe(1);
  });

  it("Spotify: dates a play by its start and drops the IP address", async () => {
    const play = {
      ts: "2024-01-01T10:00:00Z",
      ms_played: 60_000,
      ip_addr: "192.0.2.7",
      master_metadata_track_name: "Song",
    };
    const { key, items } = await readRecords({ "Streaming_History.json": JSON.stringify([play]) });
    expect(key).toBe("spotify");
    expect(selectRecords(items, "events")).toMatchObject([{ title: "Song", happened_at: "2024-01-01T09:59:00.000Z" }]);
    expect(JSON.stringify(items)).not.toContain("192.0.2.7");
  });

  it("Kindle: keeps the last version of an extended highlight", async () => {
    const buildClipping = (end: number, text: string, minute: number) =>
      `Book (Ada)\r\n- Your Highlight on page 5 | Location 120-${end} | Added on Monday, January 1, 2024 1:0${minute}:00 PM\r\n\r\n${text}\r\n==========\r\n`;
    const { key, items } = await readRecords({
      "My Clippings.txt": buildClipping(121, "short", 1) + buildClipping(130, "short and long", 2),
    });
    expect(key).toBe("kindle");
    const notes = selectRecords(items, "notes");
    expect(new Set(notes.map(({ id }) => id)).size).toBe(1);
    expect(notes.at(-1)).toMatchObject({
      body: "short and long",
      created_at: "2024-01-01T13:02:00+01:00",
      author: "Ada",
    });
  });

  it("Kindle: keeps several highlights on one page of a PDF, and reads British dates", async () => {
    const buildClipping = (text: string, minute: number) =>
      `Paper\r\n- Your Highlight on page 5 | Added on Monday, 1 January 2024 13:0${minute}:00\r\n\r\n${text}\r\n==========\r\n`;
    const { items } = await readRecords({
      "My Clippings.txt": buildClipping("first", 1) + buildClipping("second", 2) + buildClipping("second and more", 3),
    });
    const notes = new Map(selectRecords(items, "notes").map((note) => [note.id, note]));
    expect([...notes.values()].map(({ body, created_at }) => [body, created_at])).toEqual([
      ["first", "2024-01-01T13:01:00+01:00"],
      ["second and more", "2024-01-01T13:03:00+01:00"],
    ]);
  });

  it("does not claim a table with other columns", async () => {
    const { claims } = await detect(createMemoryTree({ "a.csv": "Title,Date,Price\nA,1/2/24,5\n" }, 0), formats);
    expect(claims).toEqual([]);
  });
});
