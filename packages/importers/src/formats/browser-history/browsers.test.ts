import { DatabaseSync } from "node:sqlite";
import { expect, it } from "vitest";
import { detectBrowser } from "./browsers.ts";

/** The tables of each browser with columns that have no type and no index, so that nothing helps the query. */
const histories: Readonly<Record<string, readonly string[]>> = {
  chromium: ["visits(id, url INTEGER, visit_time, transition, visit_duration)", "urls(id, url, title)"],
  firefox: ["moz_historyvisits(id, place_id INTEGER, visit_date, visit_type)", "moz_places(id, url, title)"],
  "firefox-mobile-legacy": ["visits(_id, history_guid TEXT, date, visit_type)", "history(guid, url, title)"],
  safari: ["history_visits(id, history_item INTEGER, visit_time, title, redirect_source)", "history_items(id, url)"],
};

it.each(Object.entries(histories))("[IMP-35] does not look at every page of %s for every visit", (name, declared) => {
  const database = new DatabaseSync(":memory:");
  for (const table of declared) database.exec(`CREATE TABLE ${table}`);
  const tables = new Map(
    declared.map((table) => {
      const [title = "", columns = ""] = table.replace(")", "").split("(");
      return [title, new Set(columns.split(",").map((column) => column.trim().split(" ")[0] ?? ""))] as const;
    }),
  );
  const browser = detectBrowser(tables);
  expect(browser?.name).toBe(name);
  const plan = database.prepare(`EXPLAIN QUERY PLAN ${browser?.sql}`).all(0n);
  const scanned = plan.map(({ detail }) => String(detail)).filter((detail) => detail.startsWith("SCAN"));
  expect(scanned).toEqual(["SCAN v"]);
  database.close();
});
