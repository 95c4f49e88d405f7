/** The slots with the best scores above 0, best first, ties in favour of newer documents. */
export function selectBestSlots(docs: readonly number[], scores: Float64Array, max: number): number[] {
  const isWorse = (a: number, b: number): boolean => {
    const difference = (scores[a] ?? 0) - (scores[b] ?? 0);
    return difference < 0 || (difference === 0 && (docs[a] ?? 0) < (docs[b] ?? 0));
  };
  // A heap with the worst slot first: there may be many more slots than are selected.
  const heap: number[] = [];
  const sink = (slot: number) => {
    let at = 0;
    for (let child = 1; child < heap.length; child = 2 * at + 1) {
      if (child + 1 < heap.length && isWorse(heap[child + 1] ?? 0, heap[child] ?? 0)) child += 1;
      if (!isWorse(heap[child] ?? 0, slot)) break;
      heap[at] = heap[child] ?? 0;
      at = child;
    }
    heap[at] = slot;
  };
  const rise = (slot: number) => {
    let at = heap.push(slot) - 1;
    for (let parent = (at - 1) >> 1; at > 0 && isWorse(slot, heap[parent] ?? 0); parent = (at - 1) >> 1) {
      heap[at] = heap[parent] ?? 0;
      at = parent;
    }
    heap[at] = slot;
  };
  for (let slot = 0; slot < scores.length; slot += 1) {
    if ((scores[slot] ?? 0) <= 0) continue;
    if (heap.length < max) rise(slot);
    else if (isWorse(heap[0] ?? 0, slot)) sink(slot);
  }
  return heap.sort((a, b) => (isWorse(a, b) ? 1 : -1));
}
