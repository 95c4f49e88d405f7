import { createVault, surfaceEngines, type TestVault } from "@pdpp/test-support/vaults/new-vault";
import { buildMessage, createSample, putRecords } from "@pdpp/test-support/vaults/sample";
import { findLink, signInOwner, site } from "@pdpp/test-support/web/owner-pages";
import type { Person, VisitedPage } from "@pdpp/test-support/web/person";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createOwner } from "#server/owner/owner";
import { stage } from "../../oauth/agent.ts";

const filler = "The keeper wrote down the weather and the ships. ".repeat(200);

describe.each(surfaceEngines)("search results by date and reading on, on %s", (engine) => {
  let vault: TestVault;
  let owner: Person;
  beforeAll(async () => {
    vault = await createVault(engine);
    await createSample(vault);
    await putRecords(vault, "chat_home", "messages", [
      buildMessage("old", 0, { sent_at: "2024-01-05T10:00:00Z", text: "lantern lantern lantern" }),
      buildMessage("new", 0, {
        sent_at: "2026-04-05T10:00:00Z",
        text: "a walk, some tea, and then the lantern went out",
      }),
      buildMessage("mid", 0, { sent_at: "2025-02-05T10:00:00Z", text: "lantern lantern" }),
      buildMessage("log", 0, { text: `${filler}Then the zeppelin came.\r\nIt left. ${filler}` }),
      ...Array.from({ length: 105 }, (_, n) =>
        buildMessage(`beacon${n}`, n, {
          sent_at: `2023-01-01T${String(n % 24).padStart(2, "0")}:00:00Z`,
          text: `beacon number ${n} of the coast`,
        }),
      ),
    ]);
    owner = await signInOwner(stage(vault));
  });
  afterAll(() => vault.drop());

  it("[CSL-140] orders results by date, and keeps the order in the address", async () => {
    const best = await owner.open(`${site}/explore?q=lantern`);
    expect(best.html).toContain("Best match");
    const newest = await owner.open(findLink(best, "Newest first"));
    expect(new URL(newest.url).searchParams.get("order")).toBe("date");
    const ids = [...newest.html.matchAll(/<h2><a href="[^"]*messages%3A(\w+)/g)].map(([, id]) => id);
    expect(ids).toEqual(["new", "mid", "old"]);
    expect(newest.html).not.toContain("best matches");
    const many = await owner.open(`${site}/explore?q=beacon&order=date`);
    expect(many.html).toContain("Newest first among the 100 best matches.");
    const rest = await owner.open(findLink(many, "Next best matches, newest first"));
    expect(rest.html).toContain("The next 5 best matches, newest first.");
    const listIds = ({ html }: VisitedPage) =>
      [...html.matchAll(/<h2><a href="[^"]*messages%3A(beacon\d+)/g)].map(([, id]) => id);
    expect(new Set([...listIds(many), ...listIds(rest)]).size).toBe(105);
    expect(rest.html).not.toContain('rel="next"');
    expect((await owner.open(`${site}/explore?q=beacon`)).html).not.toContain("best matches");
    expect(findLink(newest, "Best match")).not.toContain("order=");
    expect((await owner.open(`${site}/explore?q=lantern&order=%3Cscript%3E`)).html).not.toContain("<script>");
  });

  it("[CSL-143] continues reading at the sentence, with the match marked", async () => {
    const found = await owner.open(`${site}/explore?q=zeppelin`);
    const text = await owner.open(findLink(found, "Continue reading"));
    expect(text.html).toMatch(/data-window="">Then the <mark>zeppelin<\/mark> came\.&#13;/);
    const url = new URL(text.url);
    url.searchParams.delete("mark");
    for (const mark of ["x", "9-3", "0-999999999999", "-1-5", "1e3-2e3", "<script>-5"])
      url.searchParams.append("mark", mark);
    const hostile = await owner.open(url.href);
    expect(hostile.status).toBe(200);
    expect(hostile.html).not.toContain("<script>-5");
    expect(hostile.html).toContain("zeppelin");
  });

  it("[CSL-144] shows the newest items when nothing is asked, within a grant as well", async () => {
    const page = await owner.open(`${site}/explore`);
    expect(page.html).toContain("<h2>Recent</h2>");
    expect(page.html).toContain("message h29");
    expect((await owner.open(findLink(page, "1 May 2026"))).url).toBe(`${site}/day/2026-05-01`);
    const streams = [{ name: "messages", connection_ids: ["chat_work"], fields: ["id", "sent_at", "text"] }];
    const { grants } = await createOwner({ store: vault.store, ownerNo: 1, now: Date.now }).grants.issue({
      client: { name: "Reader" },
      sources: [{ connector_key: "chat", streams }],
    });
    const seen = await owner.open(`${site}/as/${grants[0]?.grant_id}/explore`);
    expect(seen.html).toContain("message w19");
    expect(seen.html).not.toMatch(/message h|CANARY|lantern/);
    expect(findLink(seen, "1 May 2026")).toContain(`/as/${grants[0]?.grant_id}/day/`);
  });
});
