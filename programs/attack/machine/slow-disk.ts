import { spawnSync } from "node:child_process";
import { setTimeout as wait } from "node:timers/promises";
import type { Attack } from "../attack.ts";
import { scaleLimit, startControlServer } from "../control-server.ts";
import { asOwner, everyNote, fillWithNotes, readLog, startServing } from "../served.ts";
import { getPercentile } from "../times.ts";

/** Every flush to the disk takes a quarter of a second, while the vault is written and read. */

const delayMicroseconds = 250_000;
const seconds = 12;
const limitMs = 250;

/** With -D, signals reach the server and not strace. */
const strace = ["strace", "-D", "-f", "-qq", "-o", "/dev/null", "-e", "trace=fsync,fdatasync"];
const slowDown = ["-e", `inject=fsync,fdatasync:delay_enter=${delayMicroseconds}`];
const hasStrace = (): boolean => spawnSync("strace", [...strace.slice(1), "true"]).status === 0;

export const slowDisk: Attack = {
  name: "a disk that takes long to write",
  engines: ["sqlite"],
  async run(target) {
    if (!hasStrace()) return { held: "not tried", figure: "strace is missing, or may not trace processes" };
    const { reader, writer } = await asOwner(target, async (owner) => {
      await fillWithNotes(owner, 500, 500);
      return {
        reader: (await owner.grants.issue(everyNote)).token,
        writer: (await owner.tokens.create({ name: "writer", may: ["ingest"] })).token,
      };
    });
    const server = await startServing(target, [], [...strace, ...slowDown]);
    const control = await startControlServer();
    const times = { health: [] as number[], read: [] as number[], control: [] as number[] };
    const time = async (into: number[], url: URL, headers: Record<string, string> = {}): Promise<number> => {
      const began = performance.now();
      const answer = await fetch(url, { headers });
      await answer.arrayBuffer();
      into.push(performance.now() - began);
      return answer.status;
    };
    let isOver = false;
    let [written, failed] = [0, 0];
    const writing = (async () => {
      for (let n = 0; !isOver; n += 1) {
        const answer = await fetch(new URL("/v1/ingest/notes?connection_id=home", server.url), {
          method: "POST",
          headers: { authorization: `Bearer ${writer}`, "content-type": "application/x-ndjson" },
          body: JSON.stringify({ data: { id: `slow${n}`, text: "written slowly" } }),
        });
        await answer.arrayBuffer();
        if (answer.status === 200) written += 1;
        else failed += 1;
      }
    })();
    const answered: string[] = [];
    try {
      for (let n = 0, until = Date.now() + seconds * 1000; Date.now() < until || n < 30; n += 1) {
        const id = `slow-disk-${n}`;
        const headers = { authorization: `Bearer ${reader}`, "request-id": id };
        const status = await time(times.read, new URL("/v1/streams/notes/records?limit=5", server.url), headers);
        if (status === 200) answered.push(id);
        else failed += 1;
        await time(times.health, new URL("/healthz", server.url));
        await time(times.control, control.url);
        await wait(5);
      }
    } finally {
      isOver = true;
      await writing;
      control.stop();
      await server.stop();
    }
    const logged = await readLog(target);
    const unlogged = answered.filter((id) => !logged.has(id)).length;
    const [health = 0, read = 0, machine = 0] = [times.health, times.read, times.control].map((all) =>
      getPercentile(all, 0.99),
    );
    const limit = scaleLimit(limitMs, machine);
    const isKept = failed === 0 && unlogged === 0 && written > 0 && answered.length > 0;
    return {
      held: !isKept ? false : limit === undefined ? "not tried" : health < limit,
      figure: `${written} writes and ${answered.length} reads, ${failed} failed, ${unlogged} missing from the log; /healthz p99 ${health.toFixed(0)} ms, of a control server ${machine.toFixed(0)} ms, a read ${read.toFixed(0)} ms`,
    };
  },
};
