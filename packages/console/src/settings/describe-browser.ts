const browserNames = [
  ["Edge", /\bEdg(A|iOS)?\//],
  ["Opera", /\bOPR\//],
  ["Firefox", /\b(Firefox|FxiOS)\//],
  ["Chrome", /\b(Headless)?(Chrome|CriOS)\//],
  ["Safari", /\bSafari\//],
] as const;
const systemNames = [
  ["Android", /Android/],
  ["iPhone", /iPhone/],
  ["iPad", /iPad/],
  ["Windows", /Windows/],
  ["Mac", /Macintosh/],
  ["Linux", /Linux|X11/],
] as const;

/** Shortens a user agent, which can be anything, to two words. */
export function describeBrowser(userAgent: string): string {
  const findName = (names: readonly (readonly [string, RegExp])[]) =>
    names.find(([, pattern]) => pattern.test(userAgent))?.[0];
  const system = findName(systemNames);
  return `${findName(browserNames) ?? "Unknown browser"}${system === undefined ? "" : ` on ${system}`}`;
}
