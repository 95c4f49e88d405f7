import { SingleBar } from "cli-progress";
import { showLabel } from "./style.ts";

export interface Progress {
  update(done: number): void;
  stop(): void;
}

const none: Progress = { update: () => undefined, stop: () => undefined };

/** Shows a bar on a terminal, or a counter if the total is unknown. */
export function showProgress(label: string, total: number | undefined, unit: "bytes" | "records"): Progress {
  if (!process.stderr.isTTY) return none;
  const formatAmount = (value: number): string =>
    unit === "bytes" ? `${(value / 1e6).toFixed(1)} MB` : `${value} records`;
  if (total === undefined) {
    return {
      update: (done) => void process.stderr.write(`\r\u001b[K${showLabel(label)} ${formatAmount(done)}`),
      stop: () => void process.stderr.write("\r\u001b[K"),
    };
  }
  const began = performance.now();
  const bar = new SingleBar({
    stream: process.stderr,
    clearOnComplete: true,
    // The bar's own handler would swallow the first Ctrl-C.
    gracefulExit: false,
    format: (_options, { progress, value }) => {
      const filled = Math.round(Math.min(progress, 1) * 30);
      const left = estimateSecondsLeft(progress, (performance.now() - began) / 1000);
      return `${showLabel(label)} ${"█".repeat(filled)}${"░".repeat(30 - filled)} ${formatAmount(value)} of ${formatAmount(total)}${formatTimeLeft(left)}`;
    },
  });
  const stopOnInterrupt = () => {
    bar.stop();
    // Exit unless another listener handles Ctrl-C.
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

/** Averages over the whole run, because progress comes in batches. Returns null until an estimate is possible. */
export function estimateSecondsLeft(progress: number, elapsed: number): number | null {
  return elapsed < 2 || progress < 0.02 || progress >= 1 ? null : (elapsed / progress) * (1 - progress);
}

function formatTimeLeft(seconds: number | null): string {
  if (seconds === null) return "";
  return seconds < 90 ? `, ${Math.ceil(seconds)} s left` : `, ${Math.ceil(seconds / 60)} min left`;
}
