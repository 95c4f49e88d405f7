import type { AccessEntry } from "./log-entry.ts";

const countForMs = 60_000;
const mostKeys = 1000;
const others = "others";

/**
 * Refusals cost their sender nothing, so they must not cost the log a row each: the first of a key is noted at once, those of the
 * next minute together.
 */
export function refusalCounter(note: (entry: AccessEntry) => void): {
  refuse(key: string, entry: AccessEntry): void;
  close(): void;
} {
  const counted = new Map<string, { entry: AccessEntry; times: number }>();
  let timer: NodeJS.Timeout | undefined;
  const noteAll = (): void => {
    clearTimeout(timer);
    timer = undefined;
    const over = [...counted.values()];
    counted.clear();
    for (const { entry, times } of over) if (times > 0) note({ ...entry, times });
  };
  return {
    refuse(said, entry) {
      const key = counted.has(said) || counted.size < mostKeys ? said : others;
      const held = counted.get(key);
      if (held === undefined) {
        note(entry);
        counted.set(key, { entry, times: 0 });
      } else counted.set(key, { entry, times: held.times + 1 });
      timer ??= setTimeout(noteAll, countForMs).unref();
    },
    close: noteAll,
  };
}
