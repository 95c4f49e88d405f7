import { SingleBar } from "cli-progress";
import { harmless } from "./style.ts";

export interface Progress {
  update(done: number): void;
  stop(): void;
}

const none: Progress = { update: () => undefined, stop: () => undefined };

/** A bar on a terminal, or a counter where the total is unknown; nothing elsewhere. */
export function showProgress(label: string, total: number | undefined, unit: "bytes" | "records"): Progress {
  if (!process.stderr.isTTY) return none;
  const shown = (value: number): string => (unit === "bytes" ? `${(value / 1e6).toFixed(1)} MB` : `${value} records`);
  if (total === undefined) {
    return {
      update: (done) => void process.stderr.write(`\r\u001b[K${harmless(label)} ${shown(done)}`),
      stop: () => void process.stderr.write("\r\u001b[K"),
    };
  }
  const bar = new SingleBar({
    stream: process.stderr,
    clearOnComplete: true,
    format: (_options, { progress, value, eta }) => {
      const filled = Math.round(Math.min(progress, 1) * 30);
      return `${harmless(label)} ${"█".repeat(filled)}${"░".repeat(30 - filled)} ${shown(value)} of ${shown(total)}${leftText(eta)}`;
    },
  });
  bar.start(total, 0);
  return { update: (done) => bar.update(done), stop: () => bar.stop() };
}

/** The time left, once it can be told. */
function leftText(seconds: unknown): string {
  if (typeof seconds !== "number" || !Number.isFinite(seconds) || seconds <= 0) return "";
  return seconds < 90 ? `, ${Math.ceil(seconds)} s left` : `, ${Math.ceil(seconds / 60)} min left`;
}
