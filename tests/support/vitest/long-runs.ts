/** `npm run test:all` runs in vitest's mode "long", where property tests draw more cases. */
const isLongRun = process.env.PDPP_TEST_MODE === "long";

/** The number of cases to draw: `short` with `npm test`, `long` with `npm run test:all`. */
export const chooseRuns = (short: number, long: number): number => (isLongRun ? long : short);
