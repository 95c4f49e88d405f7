import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { buildGrantRequest, choosePreset, listUntickedSources, parseChoice } from "./choice.ts";
import type { GroupKind } from "./field-groups.ts";
import { listDecisionFacts, type Offer, type OfferedSource } from "./offer.ts";

const kinds: readonly GroupKind[] = ["headings", "text", "amounts", "files", "details"];

const buildSource = (key: string, having: readonly GroupKind[], isDerived = false): OfferedSource => ({
  key,
  connectorKey: key.split("_")[0] ?? key,
  label: key,
  ...(isDerived ? { isDerived: true as const } : {}),
  accounts: [{ id: key, label: key, isRequested: false }],
  streams: [
    {
      name: "items",
      label: "Items",
      isDated: true,
      groups: having.map((kind) => ({
        kind,
        isRequested: false,
        words: { included: [kind], missing: kind },
        fields: [{ name: kind, label: kind }],
      })),
    },
  ],
});

const buildOffer = (sources: readonly OfferedSource[]): Offer => ({
  sources,
  isSpecific: false,
  isSingleUse: false,
  unknown: [],
  notRequested: [],
});

const offer = buildOffer([
  buildSource("chat_home", kinds),
  buildSource("chat_work", kinds),
  buildSource("photos", ["files"]),
  buildSource("people", kinds, true),
]);

const submit = (values: Readonly<Record<string, string | readonly string[]>>) => {
  const form = new FormData();
  for (const [name, value] of Object.entries(values)) for (const each of [value].flat()) form.append(name, each);
  return parseChoice(form, offer);
};
const request = (choice: ReturnType<typeof submit>) =>
  buildGrantRequest(offer, choice, { name: "Reader" }, undefined, 0)?.sources;

describe("a form that leaves something open", () => {
  it("[CON-22] takes a ticked source for its usual parts, and never for none", () => {
    const choice = submit({ account: ["chat_home", "photos"] });
    expect([...choice.fields]).toEqual([
      "chat_home/items/headings",
      "chat_home/items/text",
      "chat_home/items/amounts",
      "photos/items/files",
    ]);
    expect(choice.isInferred).toBe(true);
  });

  it("[CON-25] takes a preset without ticks for all sources, and with ticks for those", () => {
    const all = submit({ preset: "no-attachments", preset_shown: "choose" });
    expect([...all.accounts]).toEqual(["chat_home", "chat_work"]);
    const one = submit({ preset: "headings", preset_shown: "choose", account: "chat_work" });
    expect([[...one.fields], one.preset]).toEqual([["chat_work/items/headings"], "choose"]);
  });

  it("[CON-25] shares no part of a source that is not ticked, and names the source", () => {
    const choice = submit({ part: "chat_home/items/text" });
    expect(request(choice)).toBeUndefined();
    expect(listUntickedSources(offer, choice).map(({ key }) => key)).toEqual(["chat_home"]);
  });

  it("[CON-22] is a preset only while the ticks are those of the preset", () => {
    const { accounts, fields } = choosePreset(offer, "everything", true);
    const values = { by_field: "yes", preset: "everything", preset_shown: "everything", field: [...fields] };
    expect(submit({ ...values, account: [...accounts] }).preset).toBe("everything");
    expect(submit({ ...values, account: "chat_home" }).preset).toBe("choose");
  });
});

describe("presets", () => {
  it("[CON-30] leave out derived sources, which appear without changing a page that is open", () => {
    for (const preset of ["everything", "no-attachments", "headings"] as const)
      expect(choosePreset(offer, preset, false).accounts.has("people")).toBe(false);
    const later = buildOffer(offer.sources.filter(({ isDerived }) => isDerived !== true));
    expect(listDecisionFacts(offer)).toEqual(listDecisionFacts(later));
    expect(request(submit({ account: "people" }))?.[0]?.connector_key).toBe("people");
  });
});

describe("people", () => {
  it("[PPL-5] are in no grant of a preset, and in one where they are ticked", () => {
    const listConnectors = (choice: ReturnType<typeof submit>) =>
      request(choice)?.map(({ connector_key }) => connector_key) ?? [];
    for (const preset of ["everything", "no-attachments", "headings"] as const) {
      const shown = [choosePreset(offer, preset, false), choosePreset(offer, preset, true), submit({ preset })];
      for (const choice of shown) {
        expect(listConnectors(choice)).toContain("chat");
        expect(listConnectors(choice)).not.toContain("people");
      }
    }
    expect(listConnectors(submit({ account: ["chat_home", "people"] }))).toEqual(["chat", "people"]);
  });
});

describe("the grants of a choice", () => {
  const ticks = fc.record({
    account: fc.subarray(offer.sources.map(({ key }) => key)),
    part: fc.subarray(offer.sources.flatMap(({ key }) => kinds.map((kind) => `${key}/items/${kind}`))),
    preset: fc.constantFrom("everything", "no-attachments", "headings", "choose", "nonsense"),
    preset_shown: fc.constantFrom("everything", "choose"),
  });

  it("[CON-26] hold for each account exactly its own fields, in one grant", () => {
    fc.assert(
      fc.property(ticks, (values) => {
        const choice = submit(values);
        const streams = (request(choice) ?? []).flatMap((source) => source.streams);
        for (const { key } of offer.sources) {
          const mine = streams.filter(({ connection_ids }) => connection_ids?.includes(key));
          const chosen = kinds.filter((kind) => choice.fields.has(`${key}/items/${kind}`));
          const isShared = choice.accounts.has(key) && chosen.length > 0;
          expect(mine.map(({ fields }) => fields)).toEqual(isShared ? [chosen] : []);
        }
      }),
    );
  });

  it("[CON-25] never hold a source that was not ticked, unless a preset was just selected", () => {
    fc.assert(
      fc.property(ticks, (values) => {
        const choice = submit(values);
        if (values.account.length > 0 || values.preset === values.preset_shown)
          expect([...choice.accounts].every((id) => values.account.includes(id))).toBe(true);
        if (!choice.isInferred) expect([...choice.fields].every((key) => values.part.includes(key))).toBe(true);
      }),
    );
  });
});
