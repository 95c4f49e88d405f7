import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import type { Attack } from "../attack.ts";
import { asOwner, everyNote, fillWithNotes, runOnVault, startServing } from "../served.ts";
import { createTrials } from "../trials.ts";
import { signIn } from "../web/visitor.ts";

/** The clock of a running server jumps forward and back. */

const preload = fileURLToPath(new URL("./jumping-clock.mjs", import.meta.url));
const hour = 3_600_000;
const day = 24 * hour;
/** Each is relative to the real time. */
const jumps = [0, 2 * hour, -2 * hour, 400 * day, -400 * day, 10 * day, 0];
const settleMs = 60;
/** Light reads, and some that run in reading threads, whose clocks jump too. */
const reads = [
  "records?limit=1",
  "records?limit=2",
  "records?limit=5",
  "records?limit=3&changes_since=beginning",
  "records?limit=100&changes_since=beginning",
];

export const jumpingClock: Attack = {
  name: "setting the clock forward and back",
  engines: ["sqlite", "postgres"],
  async run(target) {
    const { forever, brief } = await asOwner(target, async (owner) => {
      await fillWithNotes(owner, 200, 200);
      const expires_at = new Date(Date.now() + day).toISOString();
      return {
        forever: (await owner.grants.issue(everyNote)).token,
        brief: (await owner.grants.issue({ ...everyNote, expires_at })).token,
      };
    });
    const clockFile = join(target.dataDir, "clock");
    const setClock = async (offset: number): Promise<void> => {
      writeFileSync(clockFile, String(offset));
      await wait(settleMs);
    };
    await setClock(0);
    const trials = createTrials();
    const environment = [`ATTACK_CLOCK_FILE=${clockFile}`, `NODE_OPTIONS=--import=${preload}`];
    const server = await startServing(target, [], ["env", ...environment]);
    const ask = async (path: string, token: string): Promise<number> => {
      const answer = await fetch(new URL(path, server.url), { headers: { authorization: `Bearer ${token}` } });
      await answer.arrayBuffer();
      return answer.status;
    };
    try {
      const owner = await signIn(server);
      const openSettings = async () => new URL((await owner.open(`${server.url.origin}/settings`)).url).pathname;
      trials.note("the owner signs in", (await openSettings()) === "/settings");
      trials.note("a grant for a day works", (await ask("/v1/streams", brief)) === 200);
      let hasExpired = false;
      for (const jump of jumps) {
        await setClock(jump);
        const at = `${jump / hour} hours off`;
        for (const read of reads) {
          const status = await ask(`/v1/streams/notes/${read}`, forever);
          trials.note(`${at}: ${read} answers ${status}`, status === 200);
        }
        hasExpired ||= jump > day;
        const briefly = await ask("/v1/streams", brief);
        trials.note(`${at}: an expired grant answers ${briefly}`, hasExpired ? briefly === 403 : briefly === 200);
        if (hasExpired) trials.note(`${at}: an expired session is accepted`, (await openSettings()) === "/sign-in");
        trials.note(`${at}: /readyz`, (await ask("/readyz", forever)) === 200);
      }
      trials.note("the server runs", server.process.exitCode === null);
    } finally {
      await server.stop();
    }
    const verified = await runOnVault(target, "log", "verify");
    trials.note(`the log is intact: ${verified.stderr}`, verified.code === 0);
    return trials.conclude(`checks held over ${jumps.length - 1} jumps of up to 800 days`);
  },
};
