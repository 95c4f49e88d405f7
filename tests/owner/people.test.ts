import type { JsonObject } from "@pdpp/contract/declaration";
import { parseManifest } from "@pdpp/contract/manifest";
import type { OwnerApi } from "@pdpp/contract/owner";
import { createOwner } from "@pdpp/server/owner/owner";
import { createVault, engineNames, type TestVault } from "@pdpp/test-support/vaults/new-vault";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { authenticate } from "#server/auth/authenticate";
import { createReader } from "#server/read/reader";

const now = Date.parse("2026-11-18T09:00:00Z");

const text = { type: "string" };
const person = { type: "string", x_pdpp_type: "person", x_pdpp_role: "actor" };
const people = { type: "array", items: { type: "string" }, x_pdpp_type: "person" };
const time = { type: "string", format: "date-time", x_pdpp_role: "event-time" };

const defineConnector = (key: string, properties: JsonObject, more: JsonObject = {}) =>
  parseManifest({
    connector_key: key,
    version: "1",
    streams: [
      {
        name: "items",
        semantics: "mutable_state",
        primary_key: ["id"],
        selection: { fields: true, resources: true },
        schema: { type: "object", properties: { id: text, ...properties }, required: ["id"] },
        ...more,
      },
    ],
  });

const connectors = [
  defineConnector("mail", {
    from_name: person,
    from_address: { type: "string", x_pdpp_type: "email" },
    to: people,
    sent_at: time,
    body: text,
  }),
  defineConnector(
    "chat",
    { sender: person, mine: { type: "boolean" }, sent_at: time },
    { presentation: { kind: "conversation", own: { field: "mine", values: [true] } } },
  ),
  defineConnector("calendar", { organizer: person, attendees: people, starts_at: time }),
  defineConnector(
    "contacts",
    {
      name: { type: "string", x_pdpp_role: "primary-title" },
      mails: { type: "array", items: text },
      numbers: { type: "array", items: text },
    },
    { presentation: { kind: "person", fields: { emails: "mails", phones: "numbers" } } },
  ),
];

interface PersonData {
  readonly id: string;
  readonly display_name: string;
  readonly addresses: readonly string[];
  readonly numbers: readonly string[];
  readonly things: number;
  readonly first_contact: string | null;
  readonly last_contact: string | null;
  readonly months: Readonly<Record<string, number>>;
  readonly identities: readonly { readonly identity: string }[];
}

describe.each(engineNames)("people, on %s", (engine) => {
  let vault: TestVault;
  let owner: OwnerApi;
  const open = () => {
    owner = createOwner({ store: vault.store, ownerNo: 1, now: () => now });
  };
  beforeEach(async () => {
    vault = await createVault(engine);
    open();
    for (const connector of connectors) {
      await owner.connectors.register(connector);
      await owner.connections.add({ connector_key: connector.connectorKey, connection_id: connector.connectorKey });
    }
  });
  afterEach(() => vault.drop());

  const put = async (source: string, ...records: (JsonObject & { id: string })[]) => {
    const lines = async function* () {
      for (const data of records) yield Buffer.from(`${JSON.stringify({ data })}\n`);
    };
    const report = await owner.records.ingest({ connection_id: source, stream: "items" }, lines());
    expect(report.records_rejected).toBe(0);
  };
  const listPeople = async (): Promise<PersonData[]> => {
    const names = await (await owner.reader()).streams({});
    if (!names.data.some(({ name }) => name === "people")) return [];
    const { data } = await (await owner.reader()).queryRecords({ stream: "people", limit: 100 });
    return data.flatMap((item) => (item.object === "record" && "data" in item ? [item.data as never] : []));
  };
  const derive = async (): Promise<PersonData[]> => {
    await owner.people.derive();
    return listPeople();
  };
  const summarize = (all: readonly PersonData[]) =>
    all.map(({ display_name, things, last_contact }) => `${display_name} ${things} ${last_contact ?? "never"}`).sort();
  const mail = (id: string, name: string, address: string, day: string, ...to: string[]) => ({
    id,
    from_name: name,
    from_address: address,
    to,
    sent_at: `${day}T10:00:00Z`,
    body: `words of ${id}`,
  });

  it("[PPL-1] counts everyone in a mail, a chat and an event, but not the owner's own side", async () => {
    await put("mail", mail("m1", "Noor", "noor@x.example", "2026-10-01", "Ada <ada@x.example>", "odile@x.example"));
    await put(
      "chat",
      { id: "c1", sender: "Leonie", mine: false, sent_at: "2026-10-02T10:00:00Z" },
      { id: "c2", sender: "Ada", mine: true, sent_at: "2026-10-03T10:00:00Z" },
    );
    await put("calendar", { id: "e1", organizer: "Bertil", attendees: [], starts_at: "2026-12-01T10:00:00Z" });
    expect(summarize(await derive())).toEqual([
      "Ada 1 2026-10-01",
      "Bertil 1 never",
      "Leonie 1 2026-10-02",
      "Noor 1 2026-10-01",
      "odile@x.example 1 2026-10-01",
    ]);
  });

  it("[PPL-1] gives days and months in the owner's time zone, and starts over when it changes", async () => {
    await owner.setTimeZone("Pacific/Auckland");
    await put("mail", { ...mail("m1", "Noor", "noor@x.example", "2026-10-31"), sent_at: "2026-10-31T20:00:00Z" });
    expect(await derive()).toMatchObject([{ last_contact: "2026-11-01", months: { "2026-11": 1 } }]);
    await owner.setTimeZone("UTC");
    expect(await derive()).toMatchObject([{ last_contact: "2026-10-31", months: { "2026-10": 1 }, things: 1 }]);
  });

  it("[PPL-2] joins the addresses of a contact, and no equal names", async () => {
    await put(
      "mail",
      mail("m1", "Noor Achterwald", "noor@x.example", "2026-10-01"),
      mail("m2", "N.", "noor@y.example", "2026-10-02"),
      mail("m3", "Noor Achterwald", "other@z.example", "2026-10-03"),
    );
    await put("calendar", { id: "e1", organizer: "Noor Achterwald", attendees: [], starts_at: "2026-10-04T10:00:00Z" });
    expect(await derive()).toHaveLength(4);
    await put("contacts", {
      id: "k1",
      name: "Noor A.",
      mails: ["Noor@X.example", "noor@y.example"],
      numbers: ["work: +49 555 0102208"],
    });
    const all = await derive();
    expect(all).toHaveLength(3);
    expect(all.find(({ addresses }) => addresses.includes("noor@y.example"))).toMatchObject({
      display_name: "Noor A.",
      addresses: expect.arrayContaining(["noor@x.example", "noor@y.example"]),
      numbers: ["+495550102208"],
      last_contact: "2026-10-02",
    });
  });

  it("[PPL-3] stores decisions as records, applies them, and undoes them with the former ids", async () => {
    await put("mail", mail("m1", "Noor", "noor@x.example", "2026-10-01"));
    await put("calendar", { id: "e1", organizer: "Noor", attendees: [], starts_at: "2026-10-04T10:00:00Z" });
    const before = await derive();
    expect(before).toHaveLength(2);
    const [identity, other] = ["email:noor@x.example", "name:calendar:noor"];
    const { decision } = await owner.people.decide({ kind: "same", identity, others: [other], title: "Noor is Noor" });
    expect(await listPeople()).toMatchObject([{ things: 2, last_contact: "2026-10-04" }]);
    const { data } = await (await owner.reader()).queryRecords({ stream: "decisions" });
    expect(data).toMatchObject([{ data: { title: "Noor is Noor", kind: "same" } }]);
    await owner.people.undo(decision.id);
    const after = await listPeople();
    expect(after.map(({ id }) => id).sort()).toEqual(before.map(({ id }) => id).sort());
    await owner.people.decide({ kind: "different", identity, others: [other], title: "not the same" });
    await owner.people.decide({ kind: "same", identity, others: [other], title: "the same after all" });
    expect(await listPeople()).toHaveLength(1);
    expect(await owner.people.listDecisions()).toMatchObject([{ title: "the same after all" }]);
  });

  it("[PPL-4] follows changes, deletions and removed sources, also after a restart", async () => {
    const mails = Array.from({ length: 250 }, (_, i) =>
      mail(`m${i}`, "Noor", "noor@x.example", `2026-0${1 + (i % 9)}-11`),
    );
    await put("mail", ...mails, mail("last", "Noor", "noor@x.example", "2026-10-30"));
    await put("chat", { id: "c1", sender: "Leonie", mine: false, sent_at: "2026-10-02T10:00:00Z" });
    expect(summarize(await derive())).toEqual(["Leonie 1 2026-10-02", "Noor 251 2026-10-30"]);
    await vault.reopen();
    open();
    await put("mail", mail("m0", "Odile", "odile@x.example", "2026-10-29"));
    await owner.records.delete({ connection_id: "mail", stream: "items", record_id: "last" });
    expect(summarize(await derive())).toEqual(["Leonie 1 2026-10-02", "Noor 249 2026-09-11", "Odile 1 2026-10-29"]);
    const [noor] = (await listPeople()).filter(({ display_name }) => display_name === "Noor");
    const records = await owner.people.listRecords(noor!.identities.map(({ identity }) => identity));
    expect(records[0]).toMatchObject({
      connection_id: "mail",
      stream: "items",
      at: Date.parse("2026-09-11T10:00:00Z"),
    });
    expect(records.some(({ record_id }) => record_id === "last" || record_id === "m0")).toBe(false);
    await owner.connections.remove("chat");
    expect(summarize(await derive())).toEqual(["Noor 249 2026-09-11", "Odile 1 2026-10-29"]);
  });

  it("[PPL-4] may be derived by several servers at once", async () => {
    const mails = Array.from({ length: 300 }, (_, i) => mail(`m${i}`, "Noor", "noor@x.example", "2026-10-11"));
    await put("mail", ...mails);
    const second = createOwner({ store: vault.store, ownerNo: 1, now: () => now });
    await Promise.all([owner.people.derive(), second.people.derive()]);
    expect(summarize(await derive())).toEqual(["Noor 300 2026-10-11"]);
  });

  it("[PPL-1] keeps hostile names as text", async () => {
    const hostile = ["__proto__", "constructor", "<script>alert(1)</script>", "Ro\u202Eor", "a".repeat(5000)];
    await put("mail", ...hostile.map((name, i) => mail(`m${i}`, name, `x${i}@x.example`, "2026-10-11")));
    const all = await derive();
    expect(all).toHaveLength(hostile.length);
    for (const name of hostile.slice(0, 3)) expect(all.map(({ display_name }) => display_name)).toContain(name);
  });

  it("[PPL-5] is not part of any other grant, and is readable only while a grant names it", async () => {
    await put("mail", mail("m1", "Noor", "noor@x.example", "2026-10-01"));
    await derive();
    const client = { name: "Agent" };
    const sources = ["mail", "chat", "calendar", "contacts"].map((key) => ({
      connector_key: key,
      streams: [{ name: "*" }],
    }));
    const readStreams = async (token: string) => {
      const scope = await authenticate(vault.store, token, now);
      return (await createReader({ store: vault.store, scope }).streams({})).data.map(({ name }) => name);
    };
    const everything = await owner.grants.issue({ client, purpose: "x", sources });
    expect(await readStreams(everything.token)).not.toContain("people");
    const request = {
      client,
      purpose: "x",
      sources: [{ connector_key: "people", streams: [{ name: "people", fields: ["id", "display_name"] }] }],
    };
    const named = await owner.grants.issue(request);
    const scope = await authenticate(vault.store, named.token, now);
    const { data } = await createReader({ store: vault.store, scope }).queryRecords({ stream: "people" });
    expect(data).toMatchObject([{ data: { display_name: "Noor" } }]);
    expect(JSON.stringify(data)).not.toContain("noor@x.example");
    expect(JSON.stringify(data)).not.toContain("words of");
    await owner.grants.revoke(named.grants[0]!.grant_id);
    await expect(authenticate(vault.store, named.token, now)).rejects.toThrow();
  });
});
