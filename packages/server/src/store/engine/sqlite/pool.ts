import { setTimeout as wait } from "node:timers/promises";
import { PdppError } from "@pdpp/contract/errors";
import type { Reader } from "./readers.ts";

interface WaitingCaller {
  readonly resolve: (reader: Reader) => void;
  readonly reject: (error: unknown) => void;
}

export const createClosedError = (): PdppError =>
  new PdppError("unavailable", "the vault is being closed; try again later", { retry_after_seconds: 5 });

/** Opens readers on demand, up to a maximum; further callers wait in a queue. Readers that are idle for `idleMs` are closed. */
export function createPool(size: number, open: () => Promise<Reader>, idleMs = Number.POSITIVE_INFINITY) {
  const idle: Reader[] = [];
  const timers = new Map<Reader, NodeJS.Timeout>();
  const closing = new Set<Promise<void>>();
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
  const closeIfIdle = (reader: Reader): void => {
    timers.delete(reader);
    const at = idle.indexOf(reader);
    if (at < 0) return;
    idle.splice(at, 1);
    opened -= 1;
    const closed = reader.close().finally(() => closing.delete(closed));
    closing.add(closed);
  };
  const setIdle = (reader: Reader): void => {
    idle.push(reader);
    if (Number.isFinite(idleMs)) timers.set(reader, setTimeout(closeIfIdle, idleMs, reader).unref());
  };
  const takeIdle = (): Reader | undefined => {
    const reader = idle.pop();
    if (reader === undefined) return undefined;
    clearTimeout(timers.get(reader));
    timers.delete(reader);
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
      const free = takeIdle();
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
        else setIdle(reader);
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
      for (const timer of timers.values()) clearTimeout(timer);
      await Promise.all([...closing, ...[...idle.splice(0), ...left].map((reader) => reader.close())]);
    },
  };
}
