import type { ClaimedSource } from "@pdpp/server/owner/schedule/due-sources";
import type { Clock } from "./clock.ts";
import type { SourceRunner } from "./runner.ts";
import type { SourceWatchers } from "./watchers.ts";

export interface SchedulerOptions {
  readonly runner: SourceRunner;
  readonly clock: Clock;
  /** Due sources that no other server starts. */
  readonly claim: (now: number, limit: number) => Promise<ClaimedSource[]>;
  readonly watchers: Pick<SourceWatchers, "update" | "close">;
  readonly onBug: (error: unknown) => void;
}

export interface Scheduler {
  /** Starts what is due, as far as there is room. */
  check(): Promise<void>;
  close(): Promise<void>;
}

const checkIntervalMs = 15_000;
/** Each run is a process that may use a gigabyte. */
const maxRuns = 2;

/** Starts due sources until it is closed. One query finds them all, so there is no timer per source. */
export function startScheduler({ runner, clock, claim, watchers, onBug }: SchedulerOptions): Scheduler {
  let cancelTimer: (() => void) | undefined;
  let isClosed = false;
  let checking: Promise<void> = Promise.resolve();

  const startDue = async (): Promise<void> => {
    cancelTimer?.();
    try {
      if (!isClosed) await watchers.update();
      const room = maxRuns - runner.count;
      const due = isClosed || room <= 0 ? [] : await claim(clock.now(), room);
      for (const { ownerNo, sourceId } of due)
        void runner.run(ownerNo, sourceId, { mode: "incremental" }).then(() => check());
    } catch (error) {
      onBug(error);
    }
    if (!isClosed) cancelTimer = clock.callAfter(checkIntervalMs, () => void check());
  };
  /** One check at a time, so that two of them do not fill the same room. */
  const check = (): Promise<void> => {
    checking = checking.then(startDue);
    return checking;
  };
  void check();
  return {
    check,
    async close() {
      isClosed = true;
      cancelTimer?.();
      await checking;
      watchers.close();
      await runner.close();
    },
  };
}
