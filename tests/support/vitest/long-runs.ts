/** `npm run test:all` runs in vitest's mode "long", where tests over random cases take more of them. */
const isLongRun = process.env.PDPP_TEST_MODE === "long";

/** How many cases a test takes: the first with `npm test`, the second with `npm run test:all`. */
export const cases = (short: number, long: number): number => (isLongRun ? long : short);
