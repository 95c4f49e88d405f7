import { hash } from "node:crypto";
import { type FSWatcher, watch } from "node:fs";
import { stat, statfs } from "node:fs/promises";
import { isIgnoredChange, scanFolder } from "./settled-files.ts";

export interface WatchTiming {
  /** After a change, wait until nothing else has changed for this long. */
  readonly quietMs: number;
  /** But not longer than this: a download may take hours. */
  readonly maxDelayMs: number;
  readonly pollMs: number;
  readonly rescanMs: number;
}

const defaultTiming: WatchTiming = { quietMs: 1000, maxDelayMs: 30_000, pollMs: 30_000, rescanMs: 3_600_000 };

export interface WatchOptions {
  readonly signal: AbortSignal;
  /** Something may have changed. Called at the start as well, and every hour: no system reports every change. */
  onChange(): void;
}

/**
 * Watches a folder and everything in it until the signal aborts. Where the system reports no changes (network disks, too many folders), and
 * while the folder does not exist, it looks again and again. Never throws.
 */
export function watchFolder(path: string, options: WatchOptions, timing: WatchTiming = defaultTiming): void {
  if (!options.signal.aborted) new FolderWatch(path, options, timing).start();
}

class FolderWatch {
  readonly #path: string;
  readonly #options: WatchOptions;
  readonly #timing: WatchTiming;
  #watcher: FSWatcher | undefined;
  #waitingSince: number | undefined;
  #quiet: NodeJS.Timeout | undefined;
  /** The listing at the last poll; undefined if there was no folder. */
  #seen: string | undefined;
  #isLooking = false;
  /** Of the folder that is watched. */
  #folderId: string | undefined;

  constructor(path: string, options: WatchOptions, timing: WatchTiming) {
    this.#path = path;
    this.#options = options;
    this.#timing = timing;
  }

  start(): void {
    const polling = setInterval(() => void this.#look(), this.#timing.pollMs).unref();
    const rescanning = setInterval(() => this.#options.onChange(), this.#timing.rescanMs).unref();
    this.#options.signal.addEventListener("abort", () => {
      for (const timer of [polling, rescanning, this.#quiet]) clearTimeout(timer);
      this.#watcher?.close();
    });
    this.#noteChange();
    void this.#look();
  }

  /** Starts watching if that is possible now; otherwise compares the folder with its last listing. */
  async #look(): Promise<void> {
    // A network disk may take longer to answer than the interval.
    if (this.#isLooking) return;
    this.#isLooking = true;
    try {
      if (this.#watcher === undefined) await this.#watchOrCompare();
      else if (!(await this.#isSameFolder())) this.#stopWatching();
    } finally {
      this.#isLooking = false;
    }
  }

  async #watchOrCompare(): Promise<void> {
    const canReport = await reportsChanges(this.#path);
    if (this.#options.signal.aborted) return;
    if (canReport && (await this.#watch())) {
      // Changes between the last look and now were not reported.
      this.#noteChange();
      return;
    }
    const listing = await digestListing(this.#path);
    if (listing !== this.#seen) this.#noteChange();
    this.#seen = listing;
  }

  async #watch(): Promise<boolean> {
    this.#folderId = await identifyFolder(this.#path);
    if (this.#folderId === undefined || this.#options.signal.aborted) return false;
    try {
      const watcher = watch(this.#path, { recursive: true, persistent: false });
      this.#watcher = watcher;
      watcher.on("change", (_event, name) => {
        if (name === null || !isIgnoredChange(String(name))) this.#noteChange();
      });
      watcher.on("error", () => this.#stopWatching());
      return true;
    } catch {
      // Too many folders for the system, for example.
      return false;
    }
  }

  #stopWatching(): void {
    this.#watcher?.close();
    this.#watcher = undefined;
    this.#noteChange();
  }

  /** A folder that was replaced, or mounted again, is no longer watched. */
  async #isSameFolder(): Promise<boolean> {
    return (await identifyFolder(this.#path)) === this.#folderId;
  }

  #noteChange(): void {
    if (this.#options.signal.aborted) return;
    const { quietMs, maxDelayMs } = this.#timing;
    this.#waitingSince ??= performance.now();
    const waited = performance.now() - this.#waitingSince;
    clearTimeout(this.#quiet);
    this.#quiet = setTimeout(
      () => {
        this.#waitingSince = undefined;
        this.#options.onChange();
      },
      Math.max(0, Math.min(quietMs, maxDelayMs - waited)),
    ).unref();
  }
}

const identifyFolder = (path: string): Promise<string | undefined> =>
  stat(path).then(
    ({ dev, ino }) => `${dev}:${ino}`,
    () => undefined,
  );

/** Linux file systems that other machines or programs change: nfs, smb, cifs, smb2, fuse, 9p, afs, ceph. */
const remoteTypes = new Set([0x6969, 0x517b, 0xff534d42, 0xfe534d42, 0x65735546, 0x01021997, 0x5346414f, 0x00c36400]);

const reportsChanges = (path: string): Promise<boolean> =>
  statfs(path).then(
    ({ type }) => process.platform !== "linux" || !remoteTypes.has(type >>> 0),
    () => false,
  );

/** Undefined if there is no such folder. */
async function digestListing(path: string): Promise<string | undefined> {
  try {
    const { files } = await scanFolder(path);
    const lines = [...files].map(([file, { size, mtimeMs, ino }]) => `${file}\0${size}\0${mtimeMs}\0${ino}`);
    return hash("sha256", lines.sort().join("\n"), "base64url");
  } catch {
    return undefined;
  }
}
