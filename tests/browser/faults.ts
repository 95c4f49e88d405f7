import axe from "axe-core";
import type { Page } from "playwright-core";

/** Problems of a page: axe-core violations in both colour schemes, and overflow on a phone. */
export async function findFaults(page: Page): Promise<string[]> {
  const faults: string[] = [];
  for (const colorScheme of ["light", "dark"] as const) {
    await page.emulateMedia({ colorScheme });
    await page.evaluate(axe.source);
    const { violations } = await page.evaluate<axe.AxeResults>("axe.run(document)");
    faults.push(
      ...violations.map(
        ({ id, nodes }) => `${colorScheme} ${page.url()} ${id}: ${nodes.map(({ html }) => html).join(" ")}`,
      ),
    );
  }
  await page.setViewportSize({ width: 360, height: 740 });
  const fits = await page.evaluate("document.documentElement.scrollWidth <= document.documentElement.clientWidth");
  if (fits !== true) faults.push(`${page.url()} is wider than a phone`);
  await page.setViewportSize({ width: 1280, height: 800 });
  return faults;
}
