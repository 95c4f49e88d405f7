import { setTimeout as wait } from "node:timers/promises";
import { PdppError } from "@pdpp/contract/errors";
import type { Reader } from "./readers.ts";

interface WaitingCaller {
  readonly resolve: (reader: Reader) => void;
  readonly reject: (error: unknown) => void;
}

export const createClosedError = (): PdppError =>
  new PdppError("unavailable", "the vault is being closed; try again later", { retry_after_seconds: 5 });

/** Opens readers on demand, up to a maximum; further callers wait in a queue. */
export function createPool(size: number, open: () => Promise<Reader>) {
  const idle: Reader[] = [];
  const taken = new Set<Reader>();
  const opening = new Set<Promise<Reader>>();
  const queue: WaitingCaller[] = [];
  let opened = 0;
  let onReturn: (() => void) | undefined;
  let isClosed = false;
  const openOne = async (): Promise<Reader> => {
    opened += 1;
    const reader = open();
    opening.add(reader);
    try {
      return lend(await reader);
    } catch (error) {
      opened -= 1;
      throw error;
    } finally {
      opening.delete(reader);
      onReturn?.();
    }
  };
  const lend = (reader: Reader): Reader => {
    taken.add(reader);
    return reader;
  };
  const allReturned = async (): Promise<void> => {
    while (taken.size > 0 || opening.size > 0) {
      await new Promise<void>((resolve) => {
        onReturn = resolve;
      });
    }
  };
  return {
    async take(): Promise<Reader> {
      if (isClosed) throw createClosedError();
      const free = idle.pop();
      if (free) return lend(free);
      if (opened < size) return openOne();
      return new Promise((resolve, reject) => queue.push({ resolve, reject }));
    },
    giveBack(reader: Reader): void {
      // After `close` has given up on it, it is closed already.
      if (!taken.delete(reader)) return;
      const next = queue.shift();
      if (!reader.isBroken()) {
        if (next) next.resolve(lend(reader));
        else idle.push(reader);
      } else {
        opened -= 1;
        if (next) openOne().then(next.resolve, next.reject);
      }
      onReturn?.();
    },
    /** Waits for readers that are in use, then closes them all. A reader still in use after `waitMs` fails at its next statement. */
    async close(waitMs: number): Promise<void> {
      isClosed = true;
      for (const { reject } of queue.splice(0)) reject(createClosedError());
      const stop = new AbortController();
      await Promise.race([allReturned(), wait(waitMs, undefined, { signal: stop.signal }).catch(() => undefined)]);
      stop.abort();
      const left = [...taken];
      taken.clear();
      await Promise.all([...idle.splice(0), ...left].map((reader) => reader.close()));
    },
  };
}
