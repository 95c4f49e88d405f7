import { detect } from "@pdpp/importers/plan";
import { describe, expect, it } from "vitest";
import { formats } from "#importers/formats/formats";
import { selectRecords } from "../fixtures/fixture-files.ts";
import type { Files } from "../generators/generator.ts";
import { answers, createMemoryTree } from "../support.ts";

async function read(files: Files, said = answers) {
  const [first] = (await detect(createMemoryTree(files, 0), formats)).claims;
  if (first === undefined) throw new Error("nothing is recognized");
  const items = await Array.fromAsync(first.importer.read(first.claim, said));
  return { key: first.importer.key, questions: first.claim.questions.map(({ key }) => key), items };
}

describe("[IMP-29] wrong data is worse than none", () => {
  it("Letterboxd: a film in the diary is watched once", async () => {
    const { key, items } = await read({
      "watched.csv":
        "Date,Name,Year,Letterboxd URI\n2024-01-02,Heat,1995,https://boxd.it/a\n2020-01-01,Solaris,1972,https://boxd.it/b\n",
      "diary.csv":
        "Date,Name,Year,Letterboxd URI,Rating,Rewatch,Tags,Watched Date\n2024-01-02,Heat,1995,https://boxd.it/entry1,4,,,2024-01-01\n2024-03-02,Heat,1995,https://boxd.it/entry2,4,Yes,,2024-03-01\n",
      "ratings.csv": "Date,Name,Year,Letterboxd URI,Rating\n2024-01-02,Heat,1995,https://boxd.it/a,4\n",
      "watchlist.csv": "Date,Name,Year,Letterboxd URI\n2024-05-02,Heat,1995,https://boxd.it/a\n",
    });
    expect(key).toBe("letterboxd");
    const events = selectRecords(items, "events").map(({ title, kind }) => `${title} ${kind}`);
    expect(events.sort()).toEqual([
      "Heat rated",
      "Heat wants to watch",
      "Heat watched",
      "Heat watched",
      "Solaris watched",
    ]);
  });

  it("Netflix: dates as Americans write them are read, or asked for", async () => {
    const columns =
      "Profile Name,Start Time,Duration,Attributes,Title,Supplemental Video Type,Device Type,Bookmark,Latest Bookmark,Country";
    const formatRow = (time: string) => `Ada,${time},00:41:10,,A film,,TV,,,US`;
    const sure = await read({
      "ViewingActivity.csv": `${columns}\n${formatRow("1/31/24 20:00")}\n${formatRow("2/1/24 21:00")}\n`,
    });
    expect([sure.key, sure.questions]).toEqual(["netflix", []]);
    expect(selectRecords(sure.items, "events").map(({ happened_at }) => happened_at)).toEqual([
      "2024-01-31T20:00:00Z",
      "2024-02-01T21:00:00Z",
    ]);
    const unsure = { "ViewingActivity.csv": `${columns}\n${formatRow("1/2/24 20:00")}\n` };
    expect((await read(unsure)).questions).toEqual(["date_order"]);
    const { items } = await read(unsure, { ...answers, date_order: "mdy" });
    expect(selectRecords(items, "events")).toMatchObject([{ happened_at: "2024-01-02T20:00:00Z" }]);
  });

  it.each([
    [
      "German",
      "- Ihre Markierung auf Seite 12 | bei Position 120-125 | Hinzugefügt am Montag, 1. Januar 2024 13:01:30",
      "highlight",
    ],
    ["German note", "- Ihre Notiz bei Position 120 | Hinzugefügt am Montag, 1. Januar 2024 13:01:30", "note"],
    [
      "German bookmark",
      "- Ihr Lesezeichen bei Position 120 | Hinzugefügt am Montag, 1. Januar 2024 um 13:01:30 Uhr",
      "bookmark",
    ],
    [
      "Spanish",
      "- Tu subrayado en la página 12 | posición 120-125 | Añadido el lunes, 1 de enero de 2024 13:01:30",
      "highlight",
    ],
    ["Spanish note", "- Tu nota en la posición 120 | Añadido el lunes, 1 de enero de 2024 1:01:30 p. m.", "note"],
    [
      "Spanish bookmark",
      "- Tu marcador en la posición 120 | Añadido el lunes, 1 de enero de 2024 13:01:30",
      "bookmark",
    ],
    ["Chinese", "- 您在第 12 页（位置 #120-125）的标注 | 添加于 2024年1月1日星期一 下午1:01:30", "highlight"],
    ["Chinese note", "- 您在位置 #120 的笔记 | 添加于 2024年1月1日星期一 下午1:01:30", "note"],
    ["Chinese bookmark", "- 您在位置 #120 的书签 | 添加于 2024年1月1日星期一 下午1:01:30", "bookmark"],
    ["French note", "- Votre note sur la page 12 | emplacement 120 | Ajouté le lundi 1 janvier 2024 13:01:30", "note"],
    [
      "Italian bookmark",
      "- Il tuo segnalibro a pagina 12 | posizione 120 | Aggiunto in data lunedì 1 gennaio 2024 13:01:30",
      "bookmark",
    ],
    [
      "Portuguese",
      "- Seu destaque na página 12 | posição 120-125 | Adicionado: segunda-feira, 1 de janeiro de 2024 13:01:30",
      "highlight",
    ],
    ["Japanese note", "- 12ページ|位置No. 120のメモ |作成日: 2024年1月1日月曜日 13:01:30", "note"],
  ])("Kindle in %s keeps the time and the kind", async (_, line, kind) => {
    const { key, items } = await read({
      "My Clippings.txt": `\ufeffA book (Ada)\r\n${line}\r\n\r\nText\r\n==========\r\n`,
    });
    expect(key).toBe("kindle");
    expect(selectRecords(items, "notes")).toMatchObject([
      { created_at: "2024-01-01T13:01:30+01:00", tags: [kind], extra: { location: "120" } },
    ]);
  });

  it("Kindle: a time in an unknown language is kept as written", async () => {
    const line = "- Kohokohta paikassa 120-125 | Lisätty maanantaina 1. tammikuuta 2024 klo 13.01.30";
    const { items } = await read({ "My Clippings.txt": `A book (Ada)\r\n${line}\r\n\r\nText\r\n==========\r\n` });
    expect(selectRecords(items, "notes")).toMatchObject([
      { extra: { time_as_written: "Lisätty maanantaina 1. tammikuuta 2024 klo 13.01.30" } },
    ]);
  });
});
