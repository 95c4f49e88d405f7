import type { EvidenceCard } from "@pdpp/contract/wire";
import pc from "picocolors";
import { expect, it } from "vitest";
import { formatCard } from "./card.ts";
import { formatCommand } from "./continuation.ts";

const view = {
  style: pc.createColors(false),
  width: 80,
  terminal: false,
  toCommand: (next: Parameters<typeof formatCommand>[0]) =>
    formatCommand(next, { providerUrl: "http://127.0.0.1:7663" }),
};

const card = (id: string, more: object = {}) =>
  ({
    object: "evidence_card",
    id: `c/notes:${id}`,
    connection_id: "c",
    connector_key: "alpha",
    stream: "notes",
    record_id: id,
    record_version: "1",
    emitted_at: "2026-06-01T12:00:00.000Z",
    title: `Note ${id}`,
    slots: {},
    fields: [],
    complete: true,
    ...more,
  }) as unknown as EvidenceCard;

it("[EVI-9] a number of related records that is not all of them says so", () => {
  const list = (has_more: boolean) => ({ object: "list", data: [card("2"), card("3")], has_more });
  expect(formatCard(view, card("1", { expanded: { kids: list(false) } }))).toContain("\nkids: 2 related\n");
  expect(formatCard(view, card("1", { expanded: { kids: list(true) } }))).toContain("\nkids: 2 related, not all\n");
});
