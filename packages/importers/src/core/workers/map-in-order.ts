/**
 * Maps items concurrently ahead of the consumer and yields results in order. Work in progress weighs at most `most`, or is a single item.
 */
export async function* mapInOrder<Thing, Result>(
  things: AsyncIterable<Thing>,
  weigh: (thing: Thing) => number,
  most: number,
  work: (thing: Thing) => Promise<Result>,
): AsyncGenerator<Result> {
  const underWay: { readonly weight: number; readonly result: Promise<Result> }[] = [];
  let weight = 0;
  async function* yieldUntilLighter(limit: number): AsyncGenerator<Result> {
    for (let [first] = underWay; first !== undefined && weight > limit; [first] = underWay) {
      yield await first.result;
      underWay.shift();
      weight -= first.weight;
    }
  }
  for await (const thing of things) {
    const own = weigh(thing);
    yield* yieldUntilLighter(most - own);
    const result = work(thing);
    // The failure is handled when its turn comes; this avoids an unhandled rejection until then.
    result.catch(() => undefined);
    underWay.push({ weight: own, result });
    weight += own;
  }
  yield* yieldUntilLighter(-1);
}
