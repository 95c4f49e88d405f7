import type { Page } from "playwright-core";
import { navigate } from "../../tests/browser/chromium.ts";

/** Pictures of sources: adding one, a wrong password, a question, and the list. */
export async function takeSourcePictures(
  page: Page,
  site: string,
  shoot: (name: string) => Promise<void>,
): Promise<void> {
  const press = (name: string) => navigate(page, () => page.getByRole("button", { name, exact: true }).click());
  await page.goto(`${site}/sources/add`);
  await navigate(page, () => page.getByRole("link", { name: /Mail account/ }).click());
  await page.getByLabel("Email address").fill("ada@tidewater.example.net");
  await page.getByLabel("App password").fill("wrong-horse");
  await page.getByLabel(/Name in your vault/).fill("Ada's club mail");
  await shoot("source-add");
  await press("Add and collect");
  await page.getByText("Needs a new password").waitFor();
  await shoot("source-refused");
  await page.goto(`${site}/sources`);
  await shoot("sources");
  await page.goto(`${site}/`);
  await shoot("home-refused");
  await page.goto(`${site}/source/sample`);
  await page.getByLabel("App password").fill("right-horse");
  await press("Save and run");
  await page.getByRole("heading", { name: "It asks for a one-time code" }).waitFor();
  await shoot("source-asks");
  await page.getByRole("textbox", { name: "One-time code" }).fill("271828");
  await press("Continue");
  await page.getByText("Up to date, just now").waitFor();
  await shoot("source");
}
