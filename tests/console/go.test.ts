import { createVault, surfaceEngines, type TestVault } from "@pdpp/test-support/vaults/new-vault";
import { createSample, everything } from "@pdpp/test-support/vaults/sample";
import { findLink, signInOwner, site } from "@pdpp/test-support/web/owner-pages";
import type { Person } from "@pdpp/test-support/web/person";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { stage } from "../oauth/agent.ts";

describe.each(surfaceEngines)("going to a place by name, on %s", (engine) => {
  let vault: TestVault;
  let owner: Person;
  beforeAll(async () => {
    vault = await createVault(engine);
    const sample = await createSample(vault);
    await sample.grant({ ...everything, client: { name: "Pocket <b>reader" } });
    owner = await signInOwner(stage(vault));
  });
  afterAll(() => vault.drop());

  it("[CSL-142] lists pages, sources and agents, and searches for the rest", async () => {
    const all = await owner.open(`${site}/go`);
    for (const shown of ["Pages", "Sources", "Agents", "Activity", "Work · Messages", "Pocket &lt;b&gt;reader"])
      expect(all.html).toContain(shown);
    expect(all.html).toContain("<h2>Recent</h2>");
    expect(all.html).toContain("message h29");
    const work = await owner.open(`${site}/go?to=MESS+work`);
    expect((await owner.open(findLink(work, "Work · Messages"))).url).toContain("/stream?source=chat_work");
    expect(work.html).not.toContain("Home · Messages");
    expect(work.html).not.toContain("<h2>Recent</h2>");
    expect(new URL(findLink(work, "Search everything")).searchParams.get("q")).toBe("MESS work");
    expect((await owner.open(`${site}/go?to=%3Cscript%3E`)).html).not.toContain("<script>");
  });

  it("[CSL-142] opens a single match at once, and searches for what has no name", async () => {
    expect((await owner.open(`${site}/go?jump=1&to=pocket`)).url).toContain("/agents/");
    expect((await owner.open(`${site}/go?jump=1&to=h12`)).url).toBe(`${site}/explore?q=h12`);
    expect((await owner.open(`${site}/go?jump=1&to=messages`)).url).toContain("/go?");
  });
});
