import type { ActiveSource } from "@pdpp/server/owner/schedule/due-sources";

/** Watches a source until the signal aborts, and calls back after each change. */
export type WatchSource = (
  source: ActiveSource,
  options: { readonly signal: AbortSignal; readonly onChange: () => void },
) => void;

export interface WatchersOptions {
  readonly watch: WatchSource;
  readonly list: () => Promise<ActiveSource[]>;
  readonly onChange: (source: ActiveSource) => void;
}

/** The watchers of all sources that are active: added, changed and paused sources are noticed at the next `update`. */
export class SourceWatchers {
  readonly #options: WatchersOptions;
  readonly #watched = new Map<string, AbortController>();

  constructor(options: WatchersOptions) {
    this.#options = options;
  }

  async update(): Promise<void> {
    const { watch, list, onChange } = this.#options;
    const active = new Map((await list()).map((source) => [JSON.stringify(source), source]));
    for (const [key, stop] of this.#watched)
      if (!active.has(key)) {
        stop.abort();
        this.#watched.delete(key);
      }
    for (const [key, source] of active) {
      if (this.#watched.has(key)) continue;
      const stop = new AbortController();
      this.#watched.set(key, stop);
      watch(source, { signal: stop.signal, onChange: () => onChange(source) });
    }
  }

  close(): void {
    for (const stop of this.#watched.values()) stop.abort();
    this.#watched.clear();
  }
}
