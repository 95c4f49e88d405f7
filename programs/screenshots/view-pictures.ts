import type { Page } from "playwright-core";
import { navigate } from "../../tests/browser/chromium.ts";

/** Pictures of the pages that show records as what they are, over the demo. */

const views = {
  day: "/day/2026-07-04",
  "ai-conversations": "/conversation?source=cin_assistant_ada&stream=messages",
  month: "/calendar?month=2026-10",
  week: "/calendar?week=2026-10-05",
  "month-without-events": "/calendar?month=2026-11",
  money: "/money",
  places: "/places",
  people: "/people",
  go: "/go",
} as const;

export async function takeViewPictures(page: Page, site: string, shoot: (name: string) => Promise<void>) {
  for (const [name, path] of Object.entries(views)) {
    await page.goto(`${site}${path}`);
    await waitForImages(page);
    await shoot(name);
  }
  const open = async (name: string, path: string, link: string | RegExp) => {
    await page.goto(`${site}${path}`);
    await navigate(page, () => page.getByRole("link", { name: link }).first().click());
    await shoot(name);
  };
  await open("conversation", "/explore?q=inflatable+octopus&source=cin_chat_ada", / in /);
  await open("ai-conversation", views["ai-conversations"], "Boiler loses pressure and drips");
  await open("mail", "/explore?q=subject%3Aroof&source=cin_mail_ada", /Lindenufer 14/);
  await open("person", "/people?q=Odile", "Odile Marchevent");
  await page.goto(`${site}/photos`);
  await waitForImages(page);
  await shoot("photos");
  await navigate(page, () => page.getByRole("link", { name: /PXL_/ }).first().click());
  await waitForImages(page);
  await shoot("photo");
}

/** Thumbnails are made when they are first asked for. */
export async function waitForImages(page: Page): Promise<void> {
  const script = `[...document.images].every((image) => {
    image.loading = "eager";
    return image.complete;
  })`;
  for (let times = 0; times < 240 && !(await page.evaluate(script)); times += 1) await page.waitForTimeout(250);
}
