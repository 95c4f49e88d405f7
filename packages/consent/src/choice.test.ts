import { describe, expect, it } from "vitest";
import type { Agent } from "./agents.ts";
import { buildGrantRequest, choosePreset, chooseRequested, isGroupChosen, parseChoice, pickLater } from "./choice.ts";
import { chooseCurrentAccess, findEarlierAccess } from "./earlier.ts";
import { narrowSources } from "./narrow.ts";
import type { Offer } from "./offer.ts";

const now = Date.parse("2026-11-18T00:00:00Z");
const client = { name: "Reader" };

const words = { included: [], missing: "" };
const messages = {
  name: "messages",
  label: "Messages",
  isDated: true,
  groups: [
    {
      kind: "headings" as const,
      isRequested: true,
      words,
      fields: [
        { name: "id", label: "Id" },
        { name: "sent_at", label: "Sent at" },
      ],
    },
    { kind: "text" as const, isRequested: false, words, fields: [{ name: "text", label: "Text" }] },
  ],
};
const offer: Offer = {
  isSpecific: true,
  isSingleUse: false,
  unknown: [],
  notRequested: [],
  sources: [
    {
      key: "chat",
      connectorKey: "chat",
      label: "Chat",
      accounts: [
        { id: "home", label: "Home", isRequested: true },
        { id: "work", label: "Work", isRequested: false },
      ],
      streams: [messages],
    },
  ],
};

const submit = (values: Readonly<Record<string, string | readonly string[]>>): FormData => {
  const form = new FormData();
  for (const [name, value] of Object.entries(values)) for (const each of [value].flat()) form.append(name, each);
  return form;
};

describe("a choice", () => {
  it("preselects what was requested, and nothing else", () => {
    const choice = chooseRequested(offer, false);
    expect([...choice.accounts]).toEqual(["home"]);
    expect([...choice.fields]).toEqual(["chat/messages/id", "chat/messages/sent_at"]);
    expect(choice.training).toBe(false);
  });

  it("is the same set of fields whether groups or single fields were submitted", () => {
    const byGroup = parseChoice(submit({ account: "home", part: "chat/messages/headings" }), offer);
    const fields = ["chat/messages/id", "chat/messages/sent_at"];
    const byField = parseChoice(submit({ account: "home", by_field: "yes", field: fields }), offer);
    expect([...byGroup.fields]).toEqual([...byField.fields]);
    expect(buildGrantRequest(offer, byGroup, client, undefined, now)).toEqual(
      buildGrantRequest(offer, byField, client, undefined, now),
    );
  });

  it("shows a group as chosen only when all its fields are", () => {
    const [group] = messages.groups;
    const choice = parseChoice(submit({ by_field: "yes", field: "chat/messages/id" }), offer);
    expect(group && isGroupChosen(choice, "chat", "messages", group)).toBe(false);
    expect(group && isGroupChosen(chooseRequested(offer, false), "chat", "messages", group)).toBe(true);
  });

  it("never grants an account, field or group that was not offered", () => {
    const values = { account: ["home", "bank"], by_field: "yes", field: ["chat/messages/id", "chat/messages/secret"] };
    const request = buildGrantRequest(offer, parseChoice(submit(values), offer), client, undefined, now);
    expect(request?.sources).toEqual([
      { connector_key: "chat", streams: [{ name: "messages", connection_ids: ["home"], fields: ["id"] }] },
    ]);
    const unknownGroup = parseChoice(submit({ account: "home", part: "chat/messages/files" }), offer);
    expect(buildGrantRequest(offer, unknownGroup, client, undefined, now)).toBeUndefined();
  });

  it("ends after the chosen days, or not at all", () => {
    const expires = (days: string) =>
      buildGrantRequest(
        offer,
        parseChoice(submit({ account: "home", part: "chat/messages/text", days }), offer),
        client,
        undefined,
        now,
      )?.expires_at;
    expect([expires("7"), expires("0"), expires("9999")]).toEqual([
      "2026-11-25T00:00:00.000Z",
      undefined,
      "2026-12-18T00:00:00.000Z",
    ]);
  });

  it("selects all accounts and the preset's groups", () => {
    const choice = choosePreset(offer, "everything", false);
    expect([...choice.accounts]).toEqual(["home", "work"]);
    expect(choice.fields.size).toBe(3);
  });

  it("can narrow a requested start date, and never widen it", () => {
    expect(pickLater("2026-01-01", "2026-02-01")).toBe("2026-02-01");
    expect(pickLater("2026-01-01", "2025-01-01")).toBe("2026-01-01");
    expect(pickLater(undefined, "")).toBeUndefined();
  });
});

const grant = {
  connector_key: "chat",
  streams: [{ name: "messages", connection_ids: ["home"], fields: ["id", "text"] }],
};
const agent = { id: "pkg_1", client: "Reader", clientId: "c1", status: "active", grants: [grant] } as unknown as Agent;

describe("access that a client already has", () => {
  it("is found by client id first, then by name, and only while it is active", () => {
    const namesake = { ...agent, id: "pkg_2", clientId: "c2" };
    const ended: Agent = { ...agent, id: "pkg_3", status: "revoked" };
    expect(
      findEarlierAccess([namesake, ended, agent], "c1", "Reader").map(({ agent: { id }, isSameClient }) => [
        id,
        isSameClient,
      ]),
    ).toEqual([
      ["pkg_1", true],
      ["pkg_2", false],
    ]);
  });

  it("can be selected again, field by field", () => {
    const choice = chooseCurrentAccess(agent, chooseRequested(offer, false));
    expect([[...choice.accounts], [...choice.fields]]).toEqual([["home"], ["home/messages/id", "home/messages/text"]]);
  });

  it("is only ever reduced", () => {
    const everything = choosePreset(offer, "everything", false);
    expect(narrowSources(agent.grants, offer, everything)).toEqual([grant]);
    const less = parseChoice(
      submit({ account: ["home", "work"], by_field: "yes", field: "chat/messages/text" }),
      offer,
    );
    expect(narrowSources(agent.grants, offer, less)[0]?.streams).toEqual([
      { name: "messages", connection_ids: ["home"], fields: ["text"] },
    ]);
  });
});
