import type { Reader } from "./readers.ts";

/** Opens readers on demand, up to a maximum; further callers wait in a queue. */
export function createPool(size: number, open: () => Promise<Reader>) {
  const idle: Reader[] = [];
  const queue: { resolve: (reader: Reader) => void; reject: (error: unknown) => void }[] = [];
  let opened = 0;
  const openOne = async (): Promise<Reader> => {
    opened += 1;
    try {
      return await open();
    } catch (error) {
      opened -= 1;
      throw error;
    }
  };
  return {
    async take(): Promise<Reader> {
      const free = idle.pop();
      if (free) return free;
      if (opened < size) return openOne();
      return new Promise((resolve, reject) => queue.push({ resolve, reject }));
    },
    giveBack(reader: Reader): void {
      const next = queue.shift();
      if (!reader.isBroken()) {
        if (next) next.resolve(reader);
        else idle.push(reader);
        return;
      }
      opened -= 1;
      if (next) openOne().then(next.resolve, next.reject);
    },
    async close(): Promise<void> {
      await Promise.all(idle.splice(0).map((reader) => reader.close()));
    },
  };
}
