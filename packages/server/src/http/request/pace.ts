const sliceMs = 4;

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
