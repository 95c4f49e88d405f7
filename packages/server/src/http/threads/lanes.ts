import { createFairQueue, type Permit } from "./fair-queue.ts";
import type { ReadCosts } from "./read-costs.ts";

/**
 * Two lanes, so that a read of a few milliseconds does not wait for one of several seconds. Each lane has its own threads, and tokens
 * take turns in it. A read of unknown cost starts in the short lane. If it overstays there, the next one no longer waits for it, and
 * its cost is known from then on.
 */
export type Lane = "short" | "long";

export interface LanePermit extends Permit {
  readonly lane: Lane;
}

interface LaneLimits {
  readonly longThreads: number;
  readonly perToken: number;
  /** A read that costs more is long. */
  readonly maxShortMs: number;
}

/** How many reads may be in the short lane in addition to the one whose turn it is. Each has a thread. */
const maxOverstaying = 1;

export interface Lanes {
  /** `read` describes what was asked. */
  enter(key: string, read: string, signal?: AbortSignal): Promise<LanePermit>;
  enterLong(key: string, signal?: AbortSignal): Promise<LanePermit>;
}

export function createLanes(costs: ReadCosts, { longThreads, perToken, maxShortMs }: LaneLimits): Lanes {
  const short = createFairQueue(1, perToken);
  const long = createFairQueue(longThreads, perToken);
  /** The tokens of reads that overstay, and those that would if another one could. */
  const overstaying = new Map<Permit, string>();
  const late = new Map<Permit, string>();

  const isShort = (key: string, read: string): boolean => {
    const cost = costs.find(read);
    // One read at a time may turn out to be long.
    return cost === undefined ? ![...overstaying.values(), ...late.values()].includes(key) : cost <= maxShortMs;
  };
  const letNextIn = (): void => {
    for (const [permit, key] of late) {
      if (overstaying.size >= maxOverstaying) return;
      late.delete(permit);
      overstaying.set(permit, key);
      permit.releaseSlot();
    }
  };
  const limitStay = (permit: Permit, key: string): LanePermit => {
    const timer = setTimeout(() => {
      late.set(permit, key);
      letNextIn();
    }, maxShortMs).unref();
    const leave = (): void => {
      clearTimeout(timer);
      late.delete(permit);
      overstaying.delete(permit);
      letNextIn();
    };
    return {
      lane: "short",
      releaseSlot() {
        leave();
        permit.releaseSlot();
      },
      release() {
        leave();
        permit.release();
      },
    };
  };
  const enterLong: Lanes["enterLong"] = async (key, signal) => ({ lane: "long", ...(await long.enter(key, signal)) });
  return {
    enterLong,
    async enter(key, read, signal) {
      if (!isShort(key, read)) return enterLong(key, signal);
      const permit = await short.enter(key, signal);
      // Others of its kind have run while it waited.
      if (isShort(key, read)) return limitStay(permit, key);
      permit.release();
      return enterLong(key, signal);
    },
  };
}
