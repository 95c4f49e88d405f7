import { createVault, surfaceEngines, type TestVault } from "@pdpp/test-support/vaults/new-vault";
import { createSample } from "@pdpp/test-support/vaults/sample";
import type { Person, VisitedPage } from "@pdpp/test-support/web/person";
import { createSoftPasskey } from "@pdpp/test-support/web/soft-passkey";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { createApp } from "#server/app";
import { createSignInCode } from "#server/auth/sessions";
import { addOwner, findOwner, removeOwner } from "#server/owner/owners";
import { type Stage, stage } from "../oauth/agent.ts";

const site = "http://localhost:7663";
const here = { origin: site };

/** The WebAuthn options in the page. */
function findChallenge(page: VisitedPage): string {
  const options = /data-options="([^"]+)"/.exec(page.html)?.[1]?.replaceAll("&quot;", '"') ?? "{}";
  return JSON.parse(options).challenge ?? "";
}

describe.each(surfaceEngines)("passkeys, on %s", (engine) => {
  let vault: TestVault;
  let on: Stage;
  let owner: Person;
  beforeAll(async () => {
    vault = await createVault(engine);
    await createSample(vault);
  });
  beforeEach(async () => {
    on = stage(vault);
    owner = on.owner();
    await owner.send(await owner.open(`${site}/sign-in`), { code: await on.code() });
  });
  afterAll(() => vault.drop());

  const add = async (answer: (challenge: string) => string) => {
    const page = await owner.open(`${site}/browsers`);
    return owner.send(page, { answer: answer(findChallenge(page)) }, "/passkeys");
  };
  const enter = async (answer: (challenge: string) => string) => {
    const other = on.owner();
    const page = await other.open(`${site}/sign-in`);
    if (!page.html.includes("data-passkey")) throw new Error("the page offers no passkey");
    return {
      other,
      page,
      entered: await other.send(page, { answer: answer(findChallenge(page)) }, "/sign-in/passkey"),
    };
  };

  it("[CSL-94] are offered once the vault has one for this host name, whoever it belongs to", async () => {
    const openSignIn = async (url: string) =>
      (
        await createApp({ store: vault.store, publicUrl: url, now: on.now }).fetch(new Request(`${url}/sign-in`))
      ).text();
    expect(await openSignIn(site)).not.toMatch(/data-passkey|with a passkey/);
    await add((challenge) => createSoftPasskey().create(challenge, here));
    const page = await openSignIn(site);
    expect(page).toContain("Sign in with a passkey");
    expect(page).toContain("&quot;allowCredentials&quot;:[]");
    expect(await openSignIn("https://vault.example")).not.toContain("data-passkey");
  });

  it("[PAG-7] are added in the settings, and sign in from then on", async () => {
    const passkey = createSoftPasskey();
    const added = await add((challenge) => passkey.create(challenge, here));
    expect(added.html).toContain("For localhost, since");
    expect(added.html).toContain("not used yet");
    const { other, entered } = await enter((challenge) => passkey.get(challenge, here));
    expect(entered.url).toBe(`${site}/`);
    expect((await other.open(`${site}/browsers`)).html).toContain("last used");
  });

  it("[PAG-7] need our origin, an unused challenge of ours, and user verification", async () => {
    const passkey = createSoftPasskey();
    await add((challenge) => passkey.create(challenge, here));
    const evil = await enter((challenge) => passkey.get(challenge, { origin: "https://evil.example" }));
    expect(evil.entered.status).toBe(403);
    const elsewhere = await enter((challenge) => passkey.get(challenge, { ...here, rpId: "evil.example" }));
    expect(elsewhere.entered.status).toBe(403);
    const unseen = await enter((challenge) => passkey.get(challenge, { ...here, flags: 0x01 }));
    expect(unseen.entered.status).toBe(403);
    const made = await enter(() => passkey.get("AAAA", here));
    expect(made.entered.status).toBe(403);
    const stranger = await enter((challenge) => createSoftPasskey().get(challenge, here));
    expect(stranger.entered.status).toBe(403);
    let answer = "";
    const good = await enter((challenge) => {
      answer = passkey.get(challenge, here);
      return answer;
    });
    expect(good.entered.url).toBe(`${site}/`);
    const replayed = await enter(() => answer);
    expect(replayed.entered.status).toBe(403);
  });

  it("[PAG-7] use challenges that expire after five minutes and serve one purpose", async () => {
    const passkey = createSoftPasskey();
    await add((challenge) => passkey.create(challenge, here));
    const late = await enter((challenge) => {
      on.wait(301_000);
      return passkey.get(challenge, here);
    });
    expect(late.entered.status).toBe(403);
    const adding = findChallenge(await owner.open(`${site}/browsers`));
    expect((await enter(() => passkey.get(adding, here))).entered.status).toBe(403);
  });

  it.each(["{", "null", "[]", "1", '"x"', "{}"])(
    "[PAG-7] reject the answer %s, when signing in and when adding",
    async (sent) => {
      await add((challenge) => createSoftPasskey().create(challenge, here));
      expect((await enter(() => sent)).entered.status).toBe(403);
      expect((await add(() => sent)).status).toBe(403);
    },
  );

  it("[PAG-7] can be removed by their owner, and then no longer work", async () => {
    const passkey = createSoftPasskey();
    await add((challenge) => createSoftPasskey().create(challenge, here));
    const added = await add((challenge) => passkey.create(challenge, here));
    const action = [...added.html.matchAll(/action="(\/passkeys\/[^"]+\/remove)"/g)].at(-1)?.[1] ?? "";
    await owner.send(added, {}, action);
    expect((await enter((challenge) => passkey.get(challenge, here))).entered.status).toBe(403);
  });

  it("[PAG-7] do not sign in a removed owner, nor anyone as another owner", async () => {
    const { store } = vault;
    await add((challenge) => createSoftPasskey().create(challenge, here));
    await addOwner(store, "bo", on.now());
    const ownerNo = await findOwner(store, "bo");
    owner = on.owner();
    await owner.send(await owner.open(`${site}/sign-in`), { code: await createSignInCode(store, ownerNo, on.now()) });
    const passkey = createSoftPasskey();
    const added = await add((challenge) => passkey.create(challenge, here));
    expect(added.html.match(/For localhost, since/g)?.length).toBe(1);
    expect((await enter((challenge) => passkey.get(challenge, here))).entered.url).toBe(`${site}/`);
    await removeOwner(store, "bo", on.now());
    expect((await enter((challenge) => passkey.get(challenge, here))).entered.status).toBe(403);
  });

  it.each(["http://127.0.0.1:7663", "http://192.168.1.5:7663", "https://127.0.0.1"])(
    "[PAG-7] are not offered at %s",
    async (url) => {
      const app = createApp({ store: vault.store, publicUrl: url });
      const page = await app.fetch(new Request(`${url}/sign-in`));
      expect(await page.text()).not.toContain("data-passkey");
    },
  );
});
