/**
 * Does work on each of many things ahead of who takes the results, which come in the order of the things. What is under way weighs no
 * more than `most`, or is one thing.
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
    // It is looked at in its turn; until then its failure is nobody's.
    result.catch(() => undefined);
    underWay.push({ weight: own, result });
    weight += own;
  }
  yield* yieldUntilLighter(-1);
}
