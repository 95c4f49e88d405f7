import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type RunningServer, serve } from "@pdpp/server/main";
import { openStore } from "@pdpp/server/store/store";
import type { TestVault } from "@pdpp/test-support/vaults/new-vault";
import { addPhotos, addPictureSources, addTracks } from "@pdpp/test-support/vaults/pictures";
import { createSample } from "@pdpp/test-support/vaults/sample";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { hasChromium, navigate, type Opened, openChromium, signIn, whyNot } from "../chromium.ts";
import { findFaults } from "../faults.ts";

/** Each text of the map against the sea and the land. axe does not look at texts in a drawing. */
const measureMapContrasts = `(() => {
  const parse = (color) => color.match(/[\\d.]+/g).slice(0, 3).map(Number);
  const measure = (color) => {
    const [r, g, b] = parse(color).map((part) => part / 255).map((c) => (c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const compare = (a, b) => (Math.max(measure(a), measure(b)) + 0.05) / (Math.min(measure(a), measure(b)) + 0.05);
  const grounds = [getComputedStyle(document.querySelector(".map")).backgroundColor, getComputedStyle(document.querySelector(".land")).fill];
  return [...document.querySelectorAll(".map text")].flatMap((text) => grounds.map((ground) => compare(getComputedStyle(text).fill, ground)));
})()`;

describe.skipIf(!hasChromium)(`photos and places in a real browser${whyNot}`, () => {
  const home = mkdtempSync(join(tmpdir(), "pdpp-photos-"));
  let running: RunningServer;
  let browser: Opened;
  let page: Page;
  let site: string;
  const requested = new Set<string>();
  beforeAll(async () => {
    const dataDir = join(home, "vault");
    const store = await openStore({ dataDir });
    const vault = { store, dataDir } as TestVault;
    await createSample(vault);
    await addPictureSources(vault);
    await addPhotos(vault);
    await addTracks(vault);
    await store.close();
    [running, browser] = await Promise.all([serve({ dataDir, port: 0, host: "127.0.0.1" }), openChromium()]);
    site = new URL(running.signInUrl).origin;
    page = await browser.newPage();
    page.on("request", (request) => requested.add(new URL(request.url()).origin));
    await signIn(page, running.signInUrl);
  });
  afterAll(async () => {
    await browser?.close();
    await running?.close();
    rmSync(home, { recursive: true, force: true });
  });
  const readFocused = (): Promise<string> => page.evaluate("document.activeElement.textContent.trim()");

  it("[CSL-123] [BIG-18] shows thumbnails", async () => {
    await page.goto(`${site}/photos`);
    await page.getByRole("heading", { name: "July 2026 21" }).waitFor();
    await expect
      .poll(() => page.evaluate("document.querySelector('.tile img').naturalHeight"), { timeout: 60_000 })
      .toBe(300);
  });

  it("[CSL-124] opens with Enter, moves with arrows, and returns to the tile with Escape", async () => {
    await page.goto(`${site}/photos`);
    await page.getByRole("link", { name: "photo18.jpg" }).focus();
    await page.keyboard.press("ArrowRight");
    expect(await readFocused()).toContain("photo17.jpg");
    await page.keyboard.press("ArrowLeft");
    await navigate(page, () => page.keyboard.press("Enter"));
    await page.getByRole("heading", { name: "photo18.jpg" }).waitFor();
    await navigate(page, () => page.keyboard.press("ArrowRight"));
    await page.getByRole("heading", { name: "photo17.jpg" }).waitFor();
    await navigate(page, () => page.keyboard.press("Escape"));
    await page.getByRole("heading", { name: "Photos", exact: true }).waitFor();
    await expect.poll(readFocused).toContain("photo17.jpg");
  });

  it("[CSL-124] returns to the same grid, or to the month of a picture that the grid left out", async () => {
    await page.goto(`${site}/photos`);
    await page.getByRole("link", { name: "photo6.jpg" }).focus();
    await navigate(page, () => page.keyboard.press("Enter"));
    await page.getByRole("heading", { name: "photo6.jpg" }).waitFor();
    await navigate(page, () => page.keyboard.press("Escape"));
    await page.getByRole("heading", { name: "Photos", exact: true }).waitFor();
    await expect.poll(readFocused).toContain("photo6.jpg");
    expect(new URL(page.url()).search).toBe("");
    await navigate(page, () => page.keyboard.press("Enter"));
    await page.getByRole("heading", { name: "photo6.jpg" }).waitFor();
    await navigate(page, () => page.keyboard.press("ArrowRight"));
    await page.getByRole("heading", { name: "photo5.jpg" }).waitFor();
    await navigate(page, () => page.keyboard.press("Escape"));
    await page.getByRole("heading", { name: "Photos", exact: true }).waitFor();
    await expect.poll(readFocused).toContain("photo5.jpg");
    expect(new URL(page.url()).search).toBe("?month=2026-07");
    await page.getByRole("link", { name: "photo5.jpg" }).focus();
    await page.keyboard.press("ArrowDown");
    expect(await readFocused()).toMatch(/photo\d+\.jpg/);
    expect(await readFocused()).not.toContain("photo5.jpg");
  });

  it("[CSL-124] works as links without scripts", async () => {
    const plain = await browser.newPage();
    const devTools = await plain.context().newCDPSession(plain);
    await devTools.send("Emulation.setScriptExecutionDisabled", { value: true });
    await plain.goto(`${site}/photos`);
    await plain.getByRole("link", { name: "photo18.jpg" }).click();
    await plain.getByRole("heading", { name: "photo18.jpg" }).waitFor();
    await plain.getByRole("link", { name: "Older" }).click();
    await plain.getByRole("heading", { name: "photo17.jpg" }).waitFor();
    await plain.locator(".back a").click();
    await plain.getByRole("heading", { name: "Photos", exact: true }).waitFor();
    expect(await plain.locator(":target").textContent()).toContain("photo17.jpg");
    await plain.close();
  });

  it("[CSL-129] moves along a track with arrow keys, and folds the table that is for those without scripts", async () => {
    await page.goto(`${site}/places`);
    await page.getByRole("slider").focus();
    const getMark = () => page.locator("#map-position").getAttribute("cx");
    const before = await getMark();
    for (let times = 0; times < 5; times += 1) await page.keyboard.press("ArrowRight");
    expect(await getMark()).not.toBe(before);
    expect(await page.locator("#along-text").textContent()).toBe("07:13, height 10 m, 875 m so far.");
    expect(await page.getByRole("slider").getAttribute("aria-valuetext")).toContain("height 10 m");
    expect(await page.locator(".track-table table").isVisible()).toBe(false);
  });

  it("[CSL-129] shows the profile and the table without scripts, and no mark", async () => {
    const still = await browser.newPage();
    await still.route("**/assets/places.js", (route) => route.abort());
    await still.goto(`${site}/places`);
    expect(await still.locator(".track-table table").isVisible()).toBe(true);
    expect(await still.locator(".profile").isVisible()).toBe(true);
    expect(await still.locator("#along").isVisible()).toBe(false);
    expect(await still.locator("#map-position").isVisible()).toBe(false);
    await still.close();
  });

  it("[CSL-128] has legible texts on the map in both colour schemes, and the list below it on a phone", async () => {
    await page.goto(`${site}/places`);
    for (const colorScheme of ["light", "dark"] as const) {
      await page.emulateMedia({ colorScheme });
      const contrasts = await page.evaluate<number[]>(measureMapContrasts);
      expect(contrasts.length).toBeGreaterThan(3);
      expect(Math.min(...contrasts)).toBeGreaterThanOrEqual(4.5);
    }
    await page.setViewportSize({ width: 360, height: 740 });
    const [map, list] = await Promise.all([".map", ".track-list"].map((name) => page.locator(name).boundingBox()));
    expect(list!.y).toBeGreaterThan(map!.y + map!.height);
    await page.setViewportSize({ width: 1280, height: 800 });
  });

  it("[CSL-123] [CSL-124] [CSL-128] is accessible, fits a phone and asks no other site", async () => {
    const faults: string[] = [];
    const id = encodeURIComponent("camera/media:photo3");
    for (const path of ["/photos", "/photos?month=2026-07", `/photo?id=${id}`, "/places", "/places?show=places"]) {
      await page.goto(`${site}${path}`);
      faults.push(...(await findFaults(page)));
    }
    expect(faults).toEqual([]);
    expect([...requested]).toEqual([site]);
  });
});
