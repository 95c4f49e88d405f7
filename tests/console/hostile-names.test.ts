import { createVault, type TestVault } from "@pdpp/test-support/vaults/new-vault";
import { createSample } from "@pdpp/test-support/vaults/sample";
import { parseDocument } from "@pdpp/test-support/web/dom";
import type { Person } from "@pdpp/test-support/web/person";
import { afterAll, beforeAll, expect, it } from "vitest";
import { createOwner } from "#server/owner/owner";
import { type Stage, someText, stage } from "../oauth/agent.ts";
import { findLooseTexts } from "../walker/console/dom.ts";

/** Names that clients, exports and other people choose, on every page that shows one. */

const site = "http://localhost:7663";
const hostileNames = [
  "\u202eEVIL אבג 12",
  "\u2066EVIL\u2067 ابج 34",
  "EVIL\u001b[31m\u009b2J\u0007 Allow\r\n\u2028deny",
  "EVIL\u200b\u2060\ufeff\u200f zero",
  `EVIL${"W".repeat(10_000)}`,
];

let vault: TestVault;
let on: Stage;
let owner: Person;
const seen = new Set<string>();
beforeAll(async () => {
  vault = await createVault("sqlite");
  const world = await createSample(vault);
  expect(world).toBeDefined();
  on = stage(vault);
  owner = on.owner();
  await owner.send(await owner.open(`${site}/sign-in`), { code: await on.code() });
  const api = createOwner({ store: vault.store, ownerNo: 1, now: on.now });
  for (const [i, name] of hostileNames.entries()) {
    await api.connections
      .add({ connector_key: "chat", connection_id: `evil_${i}`, display_name: name })
      .catch(() => undefined);
    await api.tokens.create({ name }).catch(() => undefined);
    const sources = [{ connector_key: "chat", streams: [{ name: "messages", fields: ["id", "text"] }] }];
    const { token, grants } = await api.grants.issue({ client: { name }, purpose_description: name, sources } as never);
    await on.fetch(
      new Request(`${site}/v1/streams/messages/records?limit=3&connection_id=chat_home`, {
        headers: { authorization: `Bearer ${token}` },
      }),
    );
    if (i === 0) await api.grants.revoke(grants[0]?.grant_id ?? "");
  }
});
afterAll(() => vault.drop());

/** Everything that a browser could show in an order or place its author did not choose. */
function findProblems(html: string): string[] {
  // Addresses and what a form sends are not shown.
  const shown = html.replaceAll(/ (?:value|href)="[^"]*"/g, "");
  const controls = [
    ...shown.matchAll(/.{0,60}([\p{Cc}--[\n\t]]|[\u061c\u200b\u200e\u200f\u2028-\u202e\u2066\u2067\ufeff])/gv),
  ];
  const long = [...shown.matchAll(/.{0,60}W{600}/g)];
  const isolated = shown.replaceAll(/\u2068[^\u2068\u2069<]*\u2069/g, "");
  return [
    ...findLooseTexts(parseDocument(isolated), /[\u0590-\u08ff]{2}/).map((text) => `not isolated: ${text}`),
    ...controls.map(([text, char]) => `U+${char?.charCodeAt(0).toString(16)} in ${text}`),
    ...long.map(([text]) => `too long: ${text.slice(0, 80)}`),
    ...(/[\u2068\u2069]/.test(isolated) ? ["an isolate that does not end"] : []),
  ];
}

async function walk(start: readonly string[], most: number): Promise<Record<string, string[]>> {
  const problems: Record<string, string[]> = {};
  const queue = [...start];
  while (queue.length > 0 && seen.size < most) {
    const path = queue.shift() ?? "";
    const shape = path.replaceAll(/%[0-9A-F]{2}|[\w%-]{18,}/g, "*");
    if (seen.has(shape) || /sign-out|\/assets|download|\/blob|\.csv|\.json/.test(path)) continue;
    seen.add(shape);
    const { html, status } = await owner.open(`${site}${path}`);
    if (status !== 200) continue;
    const found = findProblems(html);
    if (found.length > 0) problems[path] = [...new Set(found)].slice(0, 4);
    for (const [, href = ""] of html.matchAll(/(?:href|action)="(\/[^"#]*)/g))
      queue.push(href.replaceAll("&amp;", "&"));
  }
  return problems;
}

it("[WEB-11] isolates hostile names on the consent pages", async () => {
  for (const client_name of hostileNames) {
    const agent = await on.register({ client_name, redirect_uris: ["http://localhost:41234/callback"] });
    const page = await on.consent(agent, owner);
    expect(page.html).toContain("EVIL");
    expect(findProblems(page.html)).toEqual([]);
    const preview = await owner.send(page, { ...someText, act: "preview" });
    expect(findProblems(preview.html)).toEqual([]);
    const review = await owner.send(page, { ...someText, act: "review" });
    expect(findProblems(review.html)).toEqual([]);
    await owner.send(review, { act: "allow" });
  }
});

it("[WEB-11] isolates hostile names of agents, sources, streams, tokens and searches on every page of the console", async () => {
  const pages = [
    "/",
    "/agents",
    "/activity",
    "/settings",
    "/explore",
    "/go",
    "/go?to=EVIL",
    "/import",
    "/explore?q=message",
    "/people",
  ];
  expect(await walk(pages, 150)).toEqual({});
  expect(seen.size).toBeGreaterThan(40);
});
