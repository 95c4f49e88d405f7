import type { Thread } from "@pdpp/threads/thread";
import type { ThreadAnswer, ThreadRequest } from "./thread-call.ts";

export type ReadingThread = Thread<ThreadRequest, ThreadAnswer>;

/** Starts threads when they are needed, and ends those that had nothing to do for a while. */
export interface ThreadPool {
  take(): ReadingThread;
  giveBack(thread: ReadingThread): void;
  getLoad(): { readonly busyThreads: number; readonly idleThreads: number };
  /** Resolves when every thread has exited. */
  close(): Promise<void>;
}

export function createThreadPool(start: () => ReadingThread, idleMs: number, onEnded: () => void): ThreadPool {
  const running = new Set<ReadingThread>();
  const idle: ReadingThread[] = [];
  const closing = new Set<ReadingThread>();
  const timers = new WeakMap<ReadingThread, NodeJS.Timeout>();
  const startAnother = (): ReadingThread => {
    const thread = start();
    running.add(thread);
    void thread.exited.then(() => {
      running.delete(thread);
      onEnded();
    });
    return thread;
  };
  /** Its memory, some 100 MB, goes back to the system only with the thread. */
  const closeIfIdle = (thread: ReadingThread): void => {
    const at = idle.indexOf(thread);
    if (at < 0) return;
    idle.splice(at, 1);
    running.delete(thread);
    closing.add(thread);
    void thread.close().then(() => closing.delete(thread));
  };
  return {
    take: () => idle.pop() ?? startAnother(),
    giveBack(thread) {
      if (thread.hasEnded()) return;
      idle.push(thread);
      clearTimeout(timers.get(thread));
      timers.set(thread, setTimeout(closeIfIdle, idleMs, thread).unref());
    },
    getLoad: () => ({ busyThreads: running.size - idle.length, idleThreads: idle.length }),
    async close() {
      await Promise.all([...running, ...closing].map((thread) => thread.close()));
    },
  };
}
