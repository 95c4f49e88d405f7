import type { AccessEntry } from "./log-entry.ts";

const countForMs = 60_000;
const maxKeys = 1000;
const others = "others";

/** Refused requests must not fill the log: the first of a key is logged at once, those of the next minute together. */
export function createRefusalCounter(note: (entry: AccessEntry) => void): {
  refuse(key: string, entry: AccessEntry): void;
  close(): void;
} {
  const counts = new Map<string, { entry: AccessEntry; times: number }>();
  let timer: NodeJS.Timeout | undefined;
  const flush = (): void => {
    clearTimeout(timer);
    timer = undefined;
    const over = [...counts.values()];
    counts.clear();
    for (const { entry, times } of over) if (times > 0) note({ ...entry, times });
  };
  return {
    refuse(said, entry) {
      const key = counts.has(said) || counts.size < maxKeys ? said : others;
      const held = counts.get(key);
      if (held === undefined) {
        note(entry);
        counts.set(key, { entry, times: 0 });
      } else counts.set(key, { entry, times: held.times + 1 });
      timer ??= setTimeout(flush, countForMs).unref();
    },
    close: flush,
  };
}
