/** The server is idle once there was nothing to do for one to two times as long. */
const checkEveryMs = 5000;

export interface IdleMemory {
  /** For each request, and when a thread has ended: V8 keeps the pages of its heap for others. */
  noteGarbage(): void;
  close(): void;
}

/**
 * Returns memory to the system when the server is idle. It stops the thread for about a tenth of a second, so it happens once after each
 * busy time.
 */
export function releaseMemoryWhenIdle(release = releaseMemory, intervalMs = checkEveryMs): IdleMemory {
  let hasGarbage = true;
  let wasBusy = false;
  const timer = setInterval(() => {
    if (hasGarbage && !wasBusy) {
      hasGarbage = false;
      release();
    }
    wasBusy = false;
  }, intervalMs).unref();
  return {
    noteGarbage() {
      hasGarbage = true;
      wasBusy = true;
    },
    close: () => clearInterval(timer),
  };
}

/**
 * V8 keeps a young generation and pages of the old one for garbage that may come again; other kinds of collections keep them too. Needs
 * `--expose-gc`.
 */
function releaseMemory(): void {
  globalThis.gc?.({ type: "major", execution: "sync", flavor: "last-resort" });
  trimHeap ??= findTrim();
  trimHeap();
}

let trimHeap: (() => void) | undefined;

/**
 * Heavy reads fragment glibc's heap: of 162 MB, 38 were in use. glibc returns the rest only on request. Does nothing
 * with another C library, or on a Node without `node:ffi`, where a server keeps that memory for its next heavy reads.
 */
function findTrim(): () => void {
  if (process.platform === "linux") {
    try {
      const { functions } = process
        .getBuiltinModule("node:ffi")
        .dlopen("libc.so.6", { malloc_trim: { arguments: ["u64"], return: "i32" } });
      return () => void functions.malloc_trim(0n);
    } catch {
      // This Node or C library lacks it.
    }
  }
  return () => undefined;
}
