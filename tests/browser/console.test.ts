import { markupAttacks } from "@pdpp/test-support/web/markup-attacks";
import { listHtmlExamples, noExample } from "@pdpp/test-support/web/page-examples";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { hasChromium, type Opened, openChromium, signIn, whyNot } from "./chromium.ts";
import { findFaults } from "./faults.ts";
import { createHostileVault, type HostileVault, longText } from "./hostile.ts";

/** The page's elements with their classes, and anything active. Both sources have records of the same shapes. */
const readShape = (page: Page): Promise<string[]> =>
  page.evaluate(`[...document.querySelectorAll("*")].map((e) => e.localName + "." + (e.getAttribute("class") ?? "").replace(/tint-\\d/, "")
    + [...e.attributes].map((a) => a.name).sort().join(","))`);

/** Elements that must never appear. */
const findFaultsInDom = (page: Page): Promise<string[]> =>
  page.evaluate(`(() => {
    const faults = [];
    if (globalThis.hit !== undefined) faults.push("a script of a record ran: " + globalThis.hit);
    for (const e of document.querySelectorAll("*")) {
      if (["iframe", "object", "embed", "style", "base", "svg", "animate"].includes(e.localName) && !e.matches("svg.chart")) faults.push(e.localName);
      if (e.localName === "script" && !e.getAttribute("src")?.startsWith("/assets/")) faults.push("script");
      if (e.localName === "meta" && e.httpEquiv) faults.push("meta refresh");
      if (e.localName === "form" && new URL(e.action).origin !== location.origin) faults.push("form to " + e.action);
      if (e.localName === "a" && new URL(e.href).origin !== location.origin) faults.push("link to " + e.href);
      for (const { name } of e.attributes) if (/^(on|style$|srcdoc)/.test(name)) faults.push(e.localName + " " + name);
    }
    const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    for (let node = texts.nextNode(); node; node = texts.nextNode()) {
      if (!/[\\u202a-\\u202e\\u2066-\\u2069]/.test(node.data)) continue;
      let at = node.parentElement;
      while (at && !/isolate|plaintext/.test(getComputedStyle(at).unicodeBidi)) at = at.parentElement;
      if (!at || at === document.body || at === document.documentElement) faults.push("not isolated in " + node.parentElement.outerHTML.slice(0, 200));
    }
    return faults;
  })()`);

describe.skipIf(!hasChromium)(`the console in a real browser${whyNot}`, () => {
  let vault: HostileVault;
  let browser: Opened;
  let page: Page;
  const complaints: string[] = [];
  const elsewhere: string[] = [];
  beforeAll(async () => {
    [vault, browser] = await Promise.all([createHostileVault(), openChromium()]);
    page = await browser.newPage();
    page.on("console", (message) => message.type() === "error" && complaints.push(message.text()));
    page.on("dialog", (dialog) => void dialog.dismiss().then(() => complaints.push("a dialog opened")));
    page.on("request", (request) => {
      if (new URL(request.url()).origin !== vault.site) elsewhere.push(request.url());
    });
    await signIn(page, vault.signInUrl);
  });
  afterAll(async () => {
    await browser?.close();
    await vault?.close();
  });
  const formatRecordUrl = (source: string, i: number) => `/record?id=${encodeURIComponent(`${source}/things:r${i}`)}`;
  const open = async (path: string): Promise<void> => {
    const answer = await page.goto(`${vault.site}${path}`);
    // A token that was shown once is gone (410), and no import, source, person or log entry has the example's id (404).
    const gone = path.startsWith("/agents/made/") ? 410 : /^\/(import\/|source\/|person\/)/.test(path) ? 404 : 200;
    expect([path, answer?.status()]).toEqual([path, gone]);
    expect((await answer?.body())?.length).toBeLessThan(200_000);
  };

  it("[CSL-5] shows malicious records as text, with the same elements as harmless ones", async () => {
    for (const [i, attack] of markupAttacks.entries()) {
      await open(formatRecordUrl("tame", i));
      const tame = await readShape(page);
      await open(formatRecordUrl("evil", i));
      expect([attack, await readShape(page)]).toEqual([attack, tame]);
      expect([attack, await findFaultsInDom(page)]).toEqual([attack, []]);
      expect((await page.locator("h1").textContent())?.slice(0, 100)).toBe(attack.slice(0, 100));
    }
    const paths = [
      "/",
      "/activity",
      "/settings",
      "/settings/source?id=evil",
      "/settings/delete-source?id=evil&mistyped=1",
      `/activity?client=${encodeURIComponent(markupAttacks[0] ?? "")}`,
      "/explore?q=EVIL",
      `/explore?q=${encodeURIComponent(markupAttacks[1] ?? "")}`,
      `/explore?q=EVIL&source=evil`,
      "/explore",
      "/stream?source=evil&stream=things&column=name&column=list&column=tree&column=text",
      `/stream?source=evil&stream=things&filter=${encodeURIComponent(`name:is:${markupAttacks[0]}`)}`,
      "/stream?source=evil&stream=things&total=count&by=value%3Awho",
      "/stream?source=evil&stream=things&total=count&by=month%3Aat",
      `/text?id=${encodeURIComponent("evil/things:r7")}&field=text`,
      `/text?id=${encodeURIComponent("evil/things:r2")}&field=tree`,
      `${formatRecordUrl("evil", 0)}&version=1`,
    ];
    for (const path of paths) {
      await open(path);
      expect([path, await findFaultsInDom(page)]).toEqual([path, []]);
    }
    expect([complaints, elsewhere]).toEqual([[], []]);
  });

  it("[CSL-3] loads more of a long text as its end comes into view", async () => {
    await open(`/text?id=${encodeURIComponent("tame/things:long")}&field=text`);
    const end = page.getByText("End of text.");
    await expect
      .poll(async () => {
        await page.evaluate("scrollTo(0, document.body.scrollHeight)");
        return end.count();
      })
      .toBe(1);
    expect(await page.locator("[data-window]").textContent()).toBe(`${longText}\n${longText}`);
    expect(complaints).toEqual([]);
  });

  it("[CSL-10] filters a search by clicking a bar, with mouse and keyboard", async () => {
    await open("/explore?q=EVIL");
    const bar = page.getByRole("list", { name: "Results by month" }).getByRole("link", { name: "Jul 2026: 2" });
    const box = await bar.boundingBox();
    expect(box?.width).toBeGreaterThan(10);
    // The whole column is clickable, not only the bar.
    await page.mouse.click((box?.x ?? 0) + 5, (box?.y ?? 0) + 3);
    await page.waitForURL(/since=2026-07-01&until=2026-08-01/);
    expect(await page.locator("ol.hits > li").count()).toBe(2);
    await page.goBack();
    await bar.focus();
    await page.keyboard.press("Enter");
    await page.waitForURL(/since=2026-07-01/);
    expect(complaints).toEqual([]);
  });

  it("[CSL-3] prints a record without navigation and controls", async () => {
    await open(formatRecordUrl("tame", 3));
    await page.emulateMedia({ media: "print" });
    expect(await page.getByRole("navigation").isVisible()).toBe(false);
    expect(await page.locator(".prose").first().isVisible()).toBe(true);
    await page.emulateMedia({ media: "screen" });
  });

  const findFaultsOnPages = async (paths: readonly string[]): Promise<string[]> => {
    const faults: string[] = [];
    for (const path of paths) {
      await open(path);
      faults.push(...(await findFaults(page)));
    }
    return faults;
  };

  it("[CSL-11] [CSL-12] [CSL-14] [PAG-4] passes accessibility checks for charts, totals and versions", async () => {
    const paths = [
      "/explore?q=EVIL+since+July+2026",
      "/stream?source=evil&stream=things&total=count&by=value%3Awho",
      "/stream?source=evil&stream=things&total=count&by=month%3Aat",
      `${formatRecordUrl("evil", 0)}&version=1`,
    ];
    expect(await findFaultsOnPages(paths)).toEqual([]);
  });

  it("[CSL-5] [CSL-71] impersonating a grant, nothing in a record runs or leads to another site", async () => {
    const base = `/as/${vault.grant}`;
    const paths = [
      `${base}/explore`,
      `${base}/explore?q=EVIL`,
      `${base}/stream?source=evil&stream=things`,
      ...markupAttacks.flatMap((_, i) => [
        `${base}${formatRecordUrl("evil", i)}`,
        `${base}/text?id=${encodeURIComponent(`evil/things:r${i}`)}&field=text`,
      ]),
    ];
    for (const path of paths) {
      await open(path);
      // Gives a refresh, script or form time to act.
      expect(page.url()).toBe(`${vault.site}${path}`);
      expect([path, await findFaultsInDom(page)]).toEqual([path, []]);
    }
    expect([complaints, elsewhere]).toEqual([[], []]);
  });

  it("[CSL-75] [CSL-5] [PAG-4] passes accessibility checks on every page in both colour schemes, and fits a phone", async () => {
    const { grant, blob } = vault;
    const place = { grant, source: "evil", stream: "things", record: "r11", field: "text", blob, words: "EVIL" };
    const examples = listHtmlExamples(place).map(({ address }) => address);
    expect(examples).not.toContain(noExample);
    const others = ["/explore", "/explore?q=nothing-like-it", formatRecordUrl("evil", 0), formatRecordUrl("evil", 7)];
    expect(await findFaultsOnPages([...examples, ...others])).toEqual([]);
  });
});
