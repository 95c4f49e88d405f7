import { createVault, surfaceEngines, type TestVault } from "@pdpp/test-support/vaults/new-vault";
import { createSample } from "@pdpp/test-support/vaults/sample";
import { createPerson, type Person } from "@pdpp/test-support/web/person";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createApp } from "#server/app";
import { createSignInCode } from "#server/auth/sessions";

const hour = 3_600_000;

describe.each(surfaceEngines)("sessions, on %s", (engine) => {
  let vault: TestVault;
  let time = Date.now();
  beforeAll(async () => {
    vault = await createVault(engine);
    await createSample(vault);
  });
  afterAll(() => vault.drop());

  /** A signed-in browser at an address. */
  const signIn = async (origin: string, publicUrl?: string) => {
    const app = createApp({ store: vault.store, now: () => time, ...(publicUrl === undefined ? {} : { publicUrl }) });
    const place = { address: "192.168.1.7" };
    const set: string[] = [];
    const person: Person = createPerson(
      async (request) => {
        const answer = await app.fetch(request, { incoming: { socket: { remoteAddress: place.address } } });
        set.push(...answer.headers.getSetCookie());
        return answer;
      },
      () => false,
    );
    await person.send(await person.open(`${origin}/sign-in`), { code: await createSignInCode(vault.store, 1, time) });
    return {
      person,
      place,
      set,
      isIn: async () => (await person.open(`${origin}/settings`)).url === `${origin}/settings`,
    };
  };
  const plain = "http://192.168.1.5:7663";
  const secure = "https://vault.example";

  it("[WEB-5] end after 4 idle hours and after a day on plain http", async () => {
    const { isIn } = await signIn(plain);
    for (let hours = 0; hours <= 22; hours += 3) {
      time += 3 * hour;
      expect([hours, await isIn()]).toEqual([hours, hours + 3 <= 24]);
    }
    const idle = await signIn(plain);
    time += 4 * hour + 1;
    expect(await idle.isIn()).toBe(false);
  });

  it("[WEB-5] that have ended stay ended when the clock is set back", async () => {
    const { isIn } = await signIn(plain);
    time += 25 * hour;
    expect(await isIn()).toBe(false);
    time -= 25 * hour;
    expect(await isIn()).toBe(false);
  });

  it("[WEB-5] end after 12 idle hours and after a week under https", async () => {
    const { isIn } = await signIn(secure, secure);
    for (let days = 0; days < 13; days += 1) {
      time += 11 * hour;
      expect(await isIn()).toBe(true);
    }
    time += 11 * hour;
    expect(await isIn()).toBe(true);
    time += 25 * hour;
    expect(await isIn()).toBe(false);
  });

  it("[WEB-3] belong to a network address on plain http", async () => {
    const { isIn, place } = await signIn(plain);
    place.address = "192.168.1.8";
    expect(await isIn()).toBe(false);
    place.address = "192.168.1.7";
    expect(await isIn()).toBe(true);
  });

  it("[WEB-5] have a cookie that no other host can set under https", async () => {
    const { set } = await signIn(secure, secure);
    const [cookie] = set;
    expect(cookie).toMatch(/^__Host-pdpp_session_[0-9a-f]{8}=[\w-]{43}; Path=\/; HttpOnly; Secure; SameSite=Lax$/);
  });

  it.each(["/sign-out", "/browsers/here/sign-out"])("[WEB-4] leave nothing in the browser after %s", async (path) => {
    const { person, set, isIn } = await signIn(plain);
    const page = await person.open(`${plain}/settings`);
    const own = /action="(\/browsers\/ses_[\w-]+\/sign-out)"/.exec(page.html)?.[1] ?? "";
    set.length = 0;
    const [name] = person.cookies.keys();
    await person.send(page, {}, path === "/sign-out" ? path : own);
    expect(set.find((line) => line.startsWith(`${name}=;`))).toMatch(/Max-Age=0; Path=\/; HttpOnly; SameSite=Lax/);
    expect(person.cookies.size).toBe(0);
    expect(await isIn()).toBe(false);
  });

  it("[WEB-4] ask the browser to clear its cache and storage, and no cookies of others", async () => {
    const { person } = await signIn(plain);
    const page = await person.open(`${plain}/settings`);
    const csrf_token = /name="csrf_token" value="([^"]+)"/.exec(page.html)?.[1] ?? "";
    const app = createApp({ store: vault.store, now: () => time });
    const cookie = [...person.cookies].map(([name, value]) => `${name}=${value}`).join("; ");
    const answer = await app.fetch(
      new Request(`${plain}/sign-out`, {
        method: "POST",
        headers: { cookie, origin: plain },
        body: new URLSearchParams({ csrf_token }),
      }),
      { incoming: { socket: { remoteAddress: "192.168.1.7" } } },
    );
    expect([answer.status, answer.headers.get("location")]).toEqual([303, "/sign-in"]);
    expect(answer.headers.get("clear-site-data")).toBe('"cache", "storage"');
    expect(answer.headers.get("cache-control")).toBe("no-store");
  });
});
