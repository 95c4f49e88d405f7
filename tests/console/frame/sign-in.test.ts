import { createVault, surfaceEngines, type TestVault } from "@pdpp/test-support/vaults/new-vault";
import { createSample } from "@pdpp/test-support/vaults/sample";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { type Stage, stage } from "../../oauth/agent.ts";

const site = "http://localhost:7663";

describe.each(surfaceEngines)("signing in, on %s", (engine) => {
  let vault: TestVault;
  let on: Stage;
  beforeAll(async () => {
    vault = await createVault(engine);
    await createSample(vault);
  });
  beforeEach(() => {
    on = stage(vault);
  });
  afterAll(() => vault.drop());

  it.each(["/", "/explore", "/settings", "/as/pkg_x/explore"])(
    "[CSL-93] shows a visitor of %s one button",
    async (path) => {
      const page = await on.owner().open(`${site}${path}`);
      expect(page.html.match(/<button/g)).toHaveLength(1);
      expect(page.html).toContain('<button class="yes">Sign in</button>');
      for (const command of ["pdpp open", "pdpp sign-in"]) expect(page.html).toContain(`<code>${command}</code>`);
    },
  );

  it.each(["/day/2026-05-01", "/photos", "/places", "/people?q=Ada", "/money", "/calendar?view=week"])(
    "[CSL-93] leads to %s afterwards, with a pasted link",
    async (path) => {
      const owner = on.owner();
      const page = await owner.open(`${site}${path}`);
      const inside = await owner.send(page, { code: `${site}/sign-in#${await on.code()}` });
      expect(inside.url).toBe(`${site}${path}`);
    },
  );

  it("[CSL-93] says why a link did not work, and still shows one button", async () => {
    const owner = on.owner();
    const page = await owner.send(await owner.open(`${site}/photos`), { code: "wrong" });
    expect(page.status).toBe(403);
    expect(page.html).toContain("This sign-in link has expired, was already used, or belongs to another vault.");
    expect(page.html.match(/<button/g)).toHaveLength(1);
    expect((await owner.send(page, { code: await on.code() })).url).toBe(`${site}/photos`);
  });
});
