import type { Attack } from "../attack.ts";
import { type StopPlan, stopUnderLoad } from "./stop-rounds.ts";

/** Stops or kills a server at random moments under mixed load. `--rounds 200` is the long form. */

const defaultRounds = 6;

const defineStops = (name: string, signal: StopPlan["signal"]): Attack => ({
  name,
  engines: ["sqlite", "postgres"],
  async run(target) {
    const rounds = target.rounds ?? defaultRounds;
    const onRound = (n: number, problems: readonly string[]) => {
      if (rounds > defaultRounds) console.error(`${signal} ${n + 1} of ${rounds}: ${problems.join("; ") || "ok"}`);
    };
    const plan = { signal, rounds, notes: 1500, maxLoadMs: 4000, onRound };
    const { problems, confirmed, slowestExitMs } = await stopUnderLoad(target, plan);
    const { received, storedNotes, importedMails, issuedTokens, revokedTokens, backups } = confirmed;
    const isTried = received > 0 && storedNotes > 0;
    return {
      held: isTried && problems.length === 0,
      figure:
        `${rounds} times, ${problems.length} problems${problems.length === 0 ? "" : ` (${problems.slice(0, 3).join("; ")})`}; confirmed before: ${received} responses, ` +
        `${storedNotes} notes, ${importedMails} imported mails, ${issuedTokens} grants, ${revokedTokens} revocations, ${backups} backups; slowest exit ${slowestExitMs} ms`,
    };
  },
});

export const stoppedUnderLoad = defineStops("stopping the server under load", "SIGTERM");
export const killedUnderLoad = defineStops("killing the server under load", "SIGKILL");
