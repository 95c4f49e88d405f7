import { describe, expect, it } from "vitest";
import { asideOf, fixturesMissing, itemsOf, recordsOf } from "./fixture-files.ts";

describe.skipIf(fixturesMissing !== "")(`[IMP-11] Google's products and banks${fixturesMissing}`, () => {
  it("Timeline: reads points of the first generation", async () => {
    const items = await itemsOf("dogsheep/takeout", "google-timeline");
    expect(recordsOf(items, "points").map(({ at, latitude, longitude }) => [at, latitude, longitude])).toEqual([
      ["2015-07-18T23:57:26.012Z", 37.6955289, -121.9287261],
      ["2015-07-18T23:58:25.529Z", 37.6955454, -121.9287454],
    ]);
  });

  it("activity: reads JSON, and pages whose times do or do not name a zone", async () => {
    const events = recordsOf(await itemsOf("dogsheep/takeout", "google-activity"), "events");
    expect(events.map(({ source, kind }) => [source, kind])).toEqual([
      ["Google Play Books", "visited"],
      ["Maps", "viewed"],
      ["Maps", "searched"],
      ["Search", "visited"],
      ["Search", "searched"],
    ]);
    const pages = await itemsOf("promnesia", "google-activity");
    expect(asideOf(pages)).toEqual([]);
    expect(recordsOf(pages, "events").map(({ title, happened_at }) => [title, happened_at])).toEqual([
      ["Visited Download your data", "2018-09-18T05:48:23.000Z"],
      ["Visited Whatever", "2013-08-28T09:43:27.000Z"],
      ["Visited Download your data", "2015-08-28T09:56:27.000Z"],
      ["Visited https://productforums.google.com/forum/", "2018-01-31T22:54:50+01:00"],
      ["Visited http://www.adobe.com/creativecloud.html", "2017-02-08T00:32:39+01:00"],
      ["Searched for adobe creative cloud", "2017-02-08T00:32:36+01:00"],
    ]);
  });

  it("Keep: reads lists, labels and trashed notes, and reports a broken one", async () => {
    const items = await itemsOf("notes-obsidian-importer/tests/keep", "google-keep");
    expect(asideOf(items).map(({ path, code }) => [path, code])).toEqual([["broken-json-note.json", "malformed"]]);
    const notes = recordsOf(items, "notes");
    expect(notes.length).toBe(14);
    const one = (title: string) => notes.find((each) => each.title === title);
    expect(one("Labelled note")?.tags).toContain("label with spaces");
    expect(one("Checklist note")?.body).toMatch(/- \[[x ]\] /);
    expect(one("Deleted note")).toMatchObject({ is_trashed: true });
    expect(one("Archived note")).toMatchObject({ is_archived: true });
  });

  it("banks: reads OFX, QFX, QIF and camt of one collection", async () => {
    const items = await itemsOf("bank-actual", "bank");
    expect(asideOf(items)).toEqual([]);
    const bookings = recordsOf(items, "transactions");
    const one = (description: string) => bookings.find((each) => each.description === description);
    expect(one("Paiement facture/Carte prépayée")).toMatchObject({
      amount: -20,
      currency: "CAD",
      booked_on: "2022-10-19",
    });
    expect(one("TPAY <DEFTPYMT>")).toMatchObject({ amount: -1, booked_on: "2023-03-01" });
    expect(one("Outlet")).toMatchObject({
      amount: -100.58,
      category: "Usual Expenses:Shopping",
      booked_on: "2024-06-24",
    });
    expect(one("Payee Name")).toMatchObject({ counterparty: "Payee Name" });
    const paid = (ref: string) => bookings.filter(({ counterparty, memo }) => `${counterparty} ${memo}`.includes(ref));
    // Two details of one entry, with amounts of their own.
    expect(paid("Zahlung TAN:747216").map(({ amount }) => amount)).toEqual([2.25, 1.2]);
    expect(paid("Supermarkt A").map(({ amount }) => amount)).toEqual([-89.85]);
    expect(recordsOf(items, "accounts").length).toBe(6);
  });

  it("banks: reads OFX of ten programs, and rejects invalid days and amounts", async () => {
    const items = await itemsOf("bank-ofxparse", "bank");
    expect(new Set(asideOf(items).map(({ path, code }) => `${path} ${code}`))).toEqual(
      new Set(["date_missing.ofx no_such_day", "decimal_error.ofx no_such_day"]),
    );
    const bookings = recordsOf(items, "transactions");
    expect(bookings.find(({ currency }) => currency === "AUD")).toMatchObject({ amount: -5.5 });
    expect(bookings.find(({ memo }) => String(memo).includes("GEELONG WEST"))).toMatchObject({ amount: -16.85 });
    expect(recordsOf(items, "accounts").find(({ number }) => number === "9200")).toMatchObject({ balance: 222 });
  });
});
