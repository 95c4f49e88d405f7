import { html } from "hono/html";
import type { Html } from "./frame.ts";

/** Bars, one series, drawn on the server. Whoever cannot see them is told what they say. */

interface Bar {
  readonly label: string;
  readonly count: number;
}

interface Look {
  readonly width: number;
  readonly height: number;
  readonly gap: number;
}

/** `what`: what is counted, and over which time. */
export function bars(what: string, all: readonly Bar[], { width, height, gap }: Look): Html {
  const most = all.reduce<Bar | undefined>(
    (top, bar) => (top === undefined || bar.count > top.count ? bar : top),
    undefined,
  );
  const total = all.reduce((sum, { count }) => sum + count, 0);
  const said =
    most === undefined || total === 0
      ? `${what}: none`
      : `${what}: ${total.toLocaleString("en")}, most in ${most.label} (${most.count.toLocaleString("en")})`;
  const step = width / Math.max(1, all.length);
  const highest = Math.max(1, most?.count ?? 1);
  const rounded = (n: number): string => n.toFixed(1);
  return html`<svg class="chart" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-label="${said}">
${all.map(({ label, count }, i) => {
  // Little is not nothing.
  const tall = count === 0 ? 0 : Math.max(2, (count / highest) * height);
  return count === 0
    ? html`<rect class="none" x="${rounded(i * step)}" y="${height - 1}" width="${rounded(step - gap)}" height="1"></rect>`
    : html`<rect x="${rounded(i * step)}" y="${rounded(height - tall)}" width="${rounded(step - gap)}" height="${rounded(tall)}"><title>${label}: ${count.toLocaleString("en")}</title></rect>`;
})}</svg>`;
}
