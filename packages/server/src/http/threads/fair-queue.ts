/** Who may begin next. Keys take turns, so whoever asks for much waits behind itself and nobody else. */

interface Waiting {
  readonly start: () => void;
}

/** Waiting ones by key; the keys in the order of their turns. */
class Turns {
  readonly #waiting = new Map<string, Set<Waiting>>();

  add(key: string, waiting: Waiting): void {
    const held = this.#waiting.get(key);
    if (held === undefined) this.#waiting.set(key, new Set([waiting]));
    else held.add(waiting);
  }

  remove(key: string, waiting: Waiting): void {
    const held = this.#waiting.get(key);
    held?.delete(waiting);
    if (held?.size === 0) this.#waiting.delete(key);
  }

  /** The next one whose key may begin; its key is the last to have a turn again. */
  next(mayBegin: (key: string) => boolean): { key: string; waiting: Waiting } | undefined {
    for (const [key, held] of this.#waiting) {
      const [waiting] = held;
      if (waiting === undefined || !mayBegin(key)) continue;
      this.#waiting.delete(key);
      held.delete(waiting);
      if (held.size > 0) this.#waiting.set(key, held);
      return { key, waiting };
    }
    return undefined;
  }
}

function waitIn(turns: Turns, key: string, signal: AbortSignal | undefined, look: () => void): Promise<void> {
  return new Promise((resolve, reject) => {
    const leave = () => {
      turns.remove(key, waiting);
      reject(signal?.reason);
    };
    const waiting: Waiting = {
      start: () => {
        signal?.removeEventListener("abort", leave);
        resolve();
      },
    };
    if (signal?.aborted) return reject(signal.reason);
    signal?.addEventListener("abort", leave, { once: true });
    turns.add(key, waiting);
    look();
  });
}

/** What one call holds: a slot while it is at work, and a part of its key's share until its answer is out. */
export interface Permit {
  freeSlot(): void;
  end(): void;
}

/** So many at work at once, and so many of one key that are not over. */
export function fairQueue(
  slots: number,
  perKey: number,
): { enter(key: string, signal?: AbortSignal): Promise<Permit> } {
  const turns = new Turns();
  const held = new Map<string, number>();
  let free = slots;
  const heldBy = (key: string): number => held.get(key) ?? 0;
  const look = (): void => {
    while (free > 0) {
      const next = turns.next((key) => heldBy(key) < perKey);
      if (next === undefined) return;
      free -= 1;
      held.set(next.key, heldBy(next.key) + 1);
      next.waiting.start();
    }
  };
  return {
    async enter(key, signal) {
      await waitIn(turns, key, signal, look);
      const freeSlot = once(() => {
        free += 1;
        look();
      });
      const end = once(() => {
        freeSlot();
        const left = heldBy(key) - 1;
        if (left <= 0) held.delete(key);
        else held.set(key, left);
        look();
      });
      return { freeSlot, end };
    },
  };
}

function once(work: () => void): () => void {
  let done = false;
  return () => {
    if (done) return;
    done = true;
    work();
  };
}

/**
 * In each turn of the event loop one waiting call begins, so that requests that came in the meantime are seen between any two of
 * them, and keys take turns. A call that comes when nothing waits begins at once.
 */
export function oneEachTurn(): (key: string, signal?: AbortSignal) => Promise<void> {
  const turns = new Turns();
  let isTaken = false;
  const look = (): void => {
    if (isTaken) return;
    const next = turns.next(() => true);
    if (next === undefined) return;
    isTaken = true;
    setImmediate(() => {
      isTaken = false;
      look();
    });
    next.waiting.start();
  };
  return (key, signal) => waitIn(turns, key, signal, look);
}
