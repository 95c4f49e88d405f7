/** How long lines are produced before other requests get a turn. */
const sliceMs = 4;

/** The same lines, with turns for other requests in between. */
export async function* yieldBetweenLines<T>(
  lines: AsyncIterable<T>,
  waitForTurn: () => Promise<void>,
): AsyncGenerator<T> {
  let began = performance.now();
  for await (const line of lines) {
    yield line;
    if (performance.now() - began < sliceMs) continue;
    await waitForTurn();
    began = performance.now();
  }
}
