import type { JsonObject } from "@pdpp/contract/declaration";
import { parseManifest } from "@pdpp/contract/manifest";
import { createVault, surfaceEngines, type TestVault } from "@pdpp/test-support/vaults/new-vault";
import { now, putRecords } from "@pdpp/test-support/vaults/sample";
import { findElement, findElements, getText, hasTag, parseDocument } from "@pdpp/test-support/web/dom";
import { findLink, signInOwner, site } from "@pdpp/test-support/web/owner-pages";
import type { Person } from "@pdpp/test-support/web/person";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { addConnection } from "#server/owner/connections";
import { createOwner } from "#server/owner/owner";
import { stage } from "../../oauth/agent.ts";

const text = { type: ["string", "null"] };
const range = ["gte", "gt", "lte", "lt"];

const manifest: JsonObject = {
  connector_key: "ledger",
  version: "1",
  display_name: "Ledger",
  streams: [
    {
      name: "entries",
      semantics: "mutable_state",
      primary_key: ["id"],
      cursor_field: "day",
      consent_time_field: "day",
      presentation: { kind: "transaction", fields: { payee: "who" } },
      selection: { fields: true, resources: true },
      schema: {
        type: "object",
        required: ["id"],
        properties: {
          id: { type: "string" },
          day: { type: "string", format: "date", x_pdpp_role: "event-time" },
          what: { ...text, x_pdpp_role: "primary-title" },
          who: text,
          worth: {
            type: ["number", "null"],
            x_pdpp_type: "currency",
            x_pdpp_role: "amount",
            x_pdpp_unit_field: "money",
          },
          money: text,
        },
      },
      query: {
        range_filters: { day: range, worth: range },
        aggregations: { count: true, sum: ["worth"], group_by: ["who", "money"], group_by_time: ["day"] },
      },
    },
  ],
};

describe.each(surfaceEngines)("money, on %s", (engine) => {
  let vault: TestVault;
  let owner: Person;
  beforeAll(async () => {
    vault = await createVault(engine);
    await vault.store.register(parseManifest(manifest), now);
    for (const id of ["bank", "shop", "empty"])
      await addConnection(vault.store, 1, { connectorKey: "ledger", id, label: id }, now);
    const buildEntry = (id: string, day: string, who: string | null, worth: number | null, money: string | null) => ({
      data: { id, day, what: `Entry ${id}`, who, worth, money },
    });
    await putRecords(vault, "bank", "entries", [
      buildEntry("a", "2026-10-01", "Rent", -900, "EUR"),
      buildEntry("b", "2026-10-02", "Korb", -20.5, "EUR"),
      buildEntry("c", "2026-09-02", "Korb", -10, "EUR"),
      buildEntry("d", "2026-09-30", "Work", 2500, "EUR"),
      buildEntry("e", "2026-09-30", "<b>Bold</b>", -5, "EUR"),
      buildEntry("f", "2026-09-15", "Alp", -99, "CHF"),
      buildEntry("g", "2026-09-16", "Alp", -1, null),
      buildEntry("h", "2026-09-17", null, null, "EUR"),
      buildEntry("old", "2020-01-05", "Rent", -700, "EUR"),
    ]);
    await putRecords(vault, "shop", "entries", [
      buildEntry("s1", "2026-05-01", "Shop", 3000, "JPY"),
      buildEntry("s2", "2026-04-01", "Shop", 1e15, "JPY"),
    ]);
    owner = await signInOwner(stage(vault));
  });
  afterAll(() => vault.drop());
  const listBars = (html: string) => [...html.matchAll(/<li title="([^"]+)">/g)].map(([, title]) => title);
  const listPayees = (html: string) =>
    findElements(parseDocument(html), hasTag("ol", "payees")).map((list) =>
      findElements(list, hasTag("li")).map((each) => getText(each)),
    );

  it("[CSL-119] [AGG-8] shows the most common currency by month and payee, and offers the others", async () => {
    const page = await owner.open(`${site}/money?source=bank`);
    expect(page.html).toContain("Amounts are in several currencies. Showing <strong><bdi>EUR</bdi></strong>.");
    expect(page.html).toContain("November 2025 to October 2026");
    const numbers = findElement(parseDocument(page.html), hasTag("p", "numbers"));
    expect(numbers && getText(numbers)).toBe("Out −935.50 EURIn 2,500.00 EURDifference 1,564.50 EUR");
    expect(listBars(page.html).filter((bar) => !bar?.endsWith(" 0.00 EUR"))).toEqual([
      "September 2026: −15.00 EUR",
      "October 2026: −920.50 EUR",
      "September 2026: 2,500.00 EUR",
    ]);
    expect(listPayees(page.html)).toEqual([
      ["Rent1 transaction−900.00 EUR", "Korb2 transactions−30.50 EUR", "<b>Bold</b>1 transaction−5.00 EUR"],
      ["Work1 transaction2,500.00 EUR"],
    ]);
    expect(page.html).toContain("1 transaction without a currency not included.");
    expect(page.html).not.toContain("Couldn't");
    const francs = await owner.open(findLink(page, "CHF"));
    expect(francs.html).toContain("−99.00 CHF");
    expect(francs.html).not.toContain("EUR</bdi></data>");
  });

  it("[CSL-173] leads over years without transactions to the earlier ones, whatever their currency", async () => {
    const page = await owner.open(`${site}/money?source=bank&currency=CHF`);
    const old = await owner.open(findLink(page, "Earlier transactions: January 2020"));
    expect(old.html).toContain("−700.00 EUR");
    expect(old.html).not.toContain("Earlier transactions");
    expect((await owner.open(`${site}/money?source=shop`)).html).not.toContain("Earlier transactions");
  });

  it("[CSL-119] links every sum to its records", async () => {
    const page = await owner.open(`${site}/money?source=bank`);
    const korb = await owner.open(findLink(page, "Korb"));
    expect(korb.html.match(/<tr><td/g)?.length).toBe(2);
    const october = await owner.open(findLink(page, "October 2026: −920.50 EUR"));
    expect(october.html.match(/<tr><td/g)?.length).toBe(2);
    const earlier = await owner.open(`${site}/money?source=bank&until=2020-06`);
    expect(earlier.html).toContain("−700.00 EUR");
    expect((await owner.open(findLink(page, "Earlier"))).html).toContain("No transactions in these months.");
  });

  it("[CSL-119] has one total for a shop, in whole yen", async () => {
    const page = await owner.open(`${site}/money?source=shop&stream=entries`);
    const numbers = findElement(parseDocument(page.html), hasTag("p", "numbers"));
    expect(numbers && getText(numbers)).toBe("Total 1,000,000,000,003,000 JPY");
    expect(page.html).not.toContain("several currencies");
  });

  it("[CSL-119] opens the first source that has transactions, and says when there are none", async () => {
    expect((await owner.open(`${site}/money`)).html).toContain("Entry b");
    expect((await owner.open(`${site}/money?source=empty`)).html).toContain("No transactions yet.");
    for (const wrong of ["source=none", "source=bank&currency=XXX", "until=2026-99", "source=bank&until=9998-12"])
      expect((await owner.open(`${site}/money?${wrong}`)).status).toBe(200);
    const table = await owner.open(`${site}/stream?source=bank&stream=entries`);
    expect((await owner.open(findLink(table, "Money"))).url).toContain("/money");
  });

  it("[CSL-119] shows nothing of amounts that an agent may not see", async () => {
    const api = createOwner({ store: vault.store, ownerNo: 1, now: Date.now });
    const issue = async (fields: string[]) => {
      const streams = [{ name: "entries", fields, connection_ids: ["bank"] }];
      const { grants } = await api.grants.issue({
        client: { name: "R" },
        sources: [{ connector_key: "ledger", streams }],
      });
      return owner.open(`${site}/as/${grants[0]?.grant_id}/money`);
    };
    const without = await issue(["id", "day", "what"]);
    expect(without.html).toContain("This access includes no transactions with their amounts.");
    expect(without.html).not.toMatch(/900\.00|Korb|Rent/);
    const some = await issue(["id", "day", "worth", "money"]);
    expect(some.html).toContain("−935.50 EUR");
    expect(some.html).not.toMatch(/Korb|Rent|Entry/);
  });
});
