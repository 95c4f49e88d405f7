/** Decides which waiting call starts next. Keys take turns, so a busy key delays only itself. */

interface Waiting {
  readonly start: () => void;
}

/** The waiting calls of each key, with the keys in the order of their turns. */
class Turns {
  readonly #waiting = new Map<string, Set<Waiting>>();

  add(key: string, waiting: Waiting): void {
    const held = this.#waiting.get(key);
    if (held === undefined) this.#waiting.set(key, new Set([waiting]));
    else held.add(waiting);
  }

  isEmpty(): boolean {
    return this.#waiting.size === 0;
  }

  remove(key: string, waiting: Waiting): void {
    const held = this.#waiting.get(key);
    held?.delete(waiting);
    if (held?.size === 0) this.#waiting.delete(key);
  }

  /** Takes the next call whose key may start; the key goes to the end of the line. */
  next(canStart: (key: string) => boolean): { key: string; waiting: Waiting } | undefined {
    for (const [key, held] of this.#waiting) {
      const [waiting] = held;
      if (waiting === undefined || !canStart(key)) continue;
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

/** The resources of a running call: a slot while it works, and one of its key's places until its answer is out. */
export interface Permit {
  releaseSlot(): void;
  release(): void;
}

export interface FairQueue {
  enter(key: string, signal?: AbortSignal): Promise<Permit>;
  /** Enters without waiting, if there is room and nothing waits. */
  tryEnter(key: string): Permit | undefined;
}

/** Runs at most `slots` calls at once, and lets each key have at most `perKey` unfinished ones. */
export function createFairQueue(slots: number, perKey: number): FairQueue {
  const turns = new Turns();
  const held = new Map<string, number>();
  let free = slots;
  const heldBy = (key: string): number => held.get(key) ?? 0;
  const canStart = (key: string): boolean => heldBy(key) < perKey;
  const take = (key: string): void => {
    free -= 1;
    held.set(key, heldBy(key) + 1);
  };
  const look = (): void => {
    while (free > 0) {
      const next = turns.next(canStart);
      if (next === undefined) return;
      take(next.key);
      next.waiting.start();
    }
  };
  const createPermit = (key: string): Permit => {
    const releaseSlot = runOnce(() => {
      free += 1;
      look();
    });
    const release = runOnce(() => {
      releaseSlot();
      const left = heldBy(key) - 1;
      if (left <= 0) held.delete(key);
      else held.set(key, left);
      look();
    });
    return { releaseSlot, release };
  };
  return {
    async enter(key, signal) {
      await waitIn(turns, key, signal, look);
      return createPermit(key);
    },
    tryEnter(key) {
      if (free <= 0 || !canStart(key) || !turns.isEmpty()) return undefined;
      take(key);
      return createPermit(key);
    },
  };
}

function runOnce(work: () => void): () => void {
  let done = false;
  return () => {
    if (done) return;
    done = true;
    work();
  };
}

export interface TurnQueue {
  wait(key: string, signal?: AbortSignal): Promise<void>;
  /** Takes this turn of the event loop, if no other call has. */
  tryTake(): boolean;
}

/**
 * Starts one waiting call per turn of the event loop, so that new requests are accepted between any two of them, and keys take
 * turns.
 */
export function createTurnQueue(): TurnQueue {
  const turns = new Turns();
  let isTaken = false;
  const take = (): void => {
    isTaken = true;
    setImmediate(() => {
      isTaken = false;
      look();
    });
  };
  const look = (): void => {
    if (isTaken) return;
    const next = turns.next(() => true);
    if (next === undefined) return;
    take();
    next.waiting.start();
  };
  return {
    wait: (key, signal) => waitIn(turns, key, signal, look),
    tryTake() {
      // Calls that wait do so because the turn is taken.
      if (isTaken) return false;
      take();
      return true;
    },
  };
}
