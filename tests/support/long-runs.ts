/** `npm run test:all` runs in vitest's mode "all"; there, tests over random cases take more of them. */
const longRuns = process.env.PDPP_TEST_MODE === "all";

/** How many cases a test takes: the first with `npm test`, the second with `npm run test:all`. */
export const cases = (short: number, long: number): number => (longRuns ? long : short);
