/** So long may lines be made before others have a turn. */
const sliceMs = 4;

/** The same lines; between them others have their turns. */
export async function* paced<T>(lines: AsyncIterable<T>, turn: () => Promise<void>): AsyncGenerator<T> {
  let began = performance.now();
  for await (const line of lines) {
    yield line;
    if (performance.now() - began < sliceMs) continue;
    await turn();
    began = performance.now();
  }
}
