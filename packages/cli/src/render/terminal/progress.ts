import { SingleBar } from "cli-progress";
import { escapeUnprintable } from "./style.ts";

export interface Progress {
  update(done: number): void;
  stop(): void;
}

const none: Progress = { update: () => undefined, stop: () => undefined };

/** A bar on a terminal, or a counter where the total is unknown; nothing elsewhere. */
export function showProgress(label: string, total: number | undefined, unit: "bytes" | "records"): Progress {
  if (!process.stderr.isTTY) return none;
  const formatAmount = (value: number): string =>
    unit === "bytes" ? `${(value / 1e6).toFixed(1)} MB` : `${value} records`;
  if (total === undefined) {
    return {
      update: (done) => void process.stderr.write(`\r\u001b[K${escapeUnprintable(label)} ${formatAmount(done)}`),
      stop: () => void process.stderr.write("\r\u001b[K"),
    };
  }
  const began = performance.now();
  const bar = new SingleBar({
    stream: process.stderr,
    clearOnComplete: true,
    // Its own way keeps the first Ctrl-C to itself, and the command goes on unseen.
    gracefulExit: false,
    format: (_options, { progress, value }) => {
      const filled = Math.round(Math.min(progress, 1) * 30);
      const left = estimateSecondsLeft(progress, (performance.now() - began) / 1000);
      return `${escapeUnprintable(label)} ${"█".repeat(filled)}${"░".repeat(30 - filled)} ${formatAmount(value)} of ${formatAmount(total)}${formatTimeLeft(left)}`;
    },
  });
  const stopOnInterrupt = () => {
    bar.stop();
    // Whoever else listens says what Ctrl-C means; if nobody does, it ends the process.
    if (process.listenerCount("SIGINT") === 0) process.kill(process.pid, "SIGINT");
  };
  process.once("SIGINT", stopOnInterrupt);
  bar.start(total, 0);
  return {
    update: (done) => bar.update(done),
    stop() {
      process.off("SIGINT", stopOnInterrupt);
      bar.stop();
    },
  };
}

/** By the whole of what was done: batches are stored at once, so that any moment alone says nothing. Null while nothing can be told. */
export function estimateSecondsLeft(progress: number, elapsed: number): number | null {
  return elapsed < 2 || progress < 0.02 || progress >= 1 ? null : (elapsed / progress) * (1 - progress);
}

function formatTimeLeft(seconds: number | null): string {
  if (seconds === null) return "";
  return seconds < 90 ? `, ${Math.ceil(seconds)} s left` : `, ${Math.ceil(seconds / 60)} min left`;
}
