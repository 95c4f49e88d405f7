import { execFileSync } from "node:child_process";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { openStore } from "@pdpp/server/store/store";
import { verifyLog } from "#server/store/access/log/log-verification";
import { raw } from "#server/store/engine/sql";
import type { Attack, Target } from "./attack.ts";
import {
  asOwner,
  everyNote,
  fillWithNotes,
  readLog,
  runOnVault,
  type Served,
  startServing,
  toStoreLocation,
} from "./served.ts";

/**
 * Attempts to read without leaving a log entry: by killing or stopping the server, by filling the disk, or by tampering with the log.
 */

const grantNotes = (target: Target, chars = 2000): Promise<{ token: string; grantId: string }> =>
  asOwner(target, async (owner) => {
    await fillWithNotes(owner, 2000, chars);
    const { token, grants } = await owner.grants.issue(everyNote);
    return { token, grantId: grants[0]?.grant_id ?? "" };
  });

const ask = ({ url }: Served, token: string, path: string, id: string): Promise<Response> =>
  fetch(new URL(path, url), { headers: { authorization: `Bearer ${token}`, "request-id": id } });

/** Reads until the server is gone; returns the ids of the records received. */
async function readOn(server: Served, token: string, name: string): Promise<string[]> {
  const received: string[] = [];
  for (let n = 0; ; n += 1) {
    const id = `${name}-${n}`;
    try {
      const response = await ask(server, token, "/v1/streams/notes/records?limit=5", id);
      await response.text();
      received.push(id);
    } catch {
      return received;
    }
  }
}

const rounds = 8;

export const killing: Attack = {
  name: "killing the server between a read and its entry",
  engines: ["sqlite", "postgres"],
  async run(target) {
    const { token } = await grantNotes(target);
    const received: string[] = [];
    for (let round = 0; round < rounds; round += 1) {
      const server = await startServing(target);
      const reading = Promise.all([0, 1, 2, 3].map((client) => readOn(server, token, `r${round}-${client}`)));
      const exporting = await ask(server, token, "/v1/export", `export-${round}`);
      await exporting.body?.getReader().read();
      received.push(`export-${round}`);
      await wait(50 + 60 * round);
      await server.stop("SIGKILL");
      received.push(...(await reading).flat());
    }
    const log = await readLog(target);
    const missing = received.filter((id) => !log.has(id));
    const doubled = [...log.values()].filter((entries) => entries.length > 1 && entries[0]?.request_id !== "-");
    const { code } = await runOnVault(target, "log", "verify");
    return {
      held: missing.length === 0 && doubled.length === 0 && code === 0,
      figure: `${received.length} responses received before ${rounds} kills, ${missing.length} are missing from the log, ${doubled.length} appear twice; the chain ${code === 0 ? "holds" : "is broken"}`,
    };
  },
};

/** Characters per note: with 2,000, an export exceeds the socket buffers. */
const moreThanTheNetworkHolds = 30_000;

export const stopping: Attack = {
  name: "stopping the server during an export",
  engines: ["sqlite", "postgres"],
  async run(target) {
    const { token } = await grantNotes(target, moreThanTheNetworkHolds);
    const server = await startServing(target);
    const exporting = await ask(server, token, "/v1/export", "cut-off");
    const first = await exporting.body?.getReader().read();
    await server.stop("SIGTERM");
    const entries = (await readLog(target)).get("cut-off") ?? [];
    const [entry] = entries;
    const size = first?.value?.byteLength ?? 0;
    return {
      held: entries.length === 1 && entry?.outcome === "cut" && entry.bytes >= size,
      figure: `${size} bytes arrived; the log says ${entry?.outcome ?? "nothing"}, ${entry?.bytes ?? 0} bytes`,
    };
  },
};

const readsOnFullDisk = 500;

export const fillingTheDisk: Attack = {
  name: "filling the disk, then reading",
  engines: ["sqlite"],
  async run({ engine, dataDir }) {
    const disk = join(dataDir, "disk");
    mkdirSync(disk);
    try {
      execFileSync("mount", ["-t", "tmpfs", "-o", "size=48m", "tmpfs", disk], { stdio: "ignore" });
    } catch {
      return { held: "not tried", figure: "only root can mount a small disk" };
    }
    try {
      const target = { engine, dataDir: join(disk, "vault") };
      const { token, grantId } = await grantNotes(target);
      const server = await startServing(target, ["--strict-log"]);
      const filler = join(disk, "filler");
      for (let size = 16 * 1024 * 1024, n = 0; size >= 512; size = Math.floor(size / 2), n += 1) {
        try {
          writeFileSync(`${filler}-${n}`, Buffer.alloc(size));
        } catch {
          // Keep what fit, and try a smaller piece.
        }
      }
      const statuses: number[] = [];
      for (let n = 0; n < readsOnFullDisk; n += 1) {
        const response = await ask(server, token, "/v1/streams/notes/records?limit=5", `full-${n}`);
        await response.text();
        statuses.push(response.status);
      }
      const revoked = await runOnVault(target, "grant", "revoke", grantId);
      const after = (await ask(server, token, "/v1/streams", "after")).status;
      const link = await runOnVault(target, "sign-in");
      for (let n = 0; n < 30; n += 1) rmSync(`${filler}-${n}`, { force: true });
      await server.stop();
      const log = await readLog(target);
      const read = statuses.filter((status) => status === 200).length;
      const missing = statuses.filter((status, n) => status === 200 && !log.has(`full-${n}`)).length;
      return {
        held: missing === 0 && revoked.code === 0 && after === 403 && read > 0 && link.code === 0,
        figure: `${read} of ${readsOnFullDisk} reads succeeded, ${missing} of them are missing from the log; the revocation ${revoked.code === 0 ? "held" : "failed"}, a sign-in link ${link.code === 0 ? "was made" : "failed"}`,
      };
    } finally {
      execFileSync("umount", ["-l", disk], { stdio: "ignore" });
    }
  },
};

const edits: readonly [what: string, statement: string][] = [
  ["a reader's name", "UPDATE access_log SET client = 'nobody' WHERE entry_no = 6"],
  ["a count", "UPDATE access_log SET records = records + 1 WHERE entry_no = 6"],
  ["a question changed", "UPDATE access_log SET request = request || ' ' WHERE entry_no = 6"],
  ["a question deleted", "UPDATE access_log SET request = NULL WHERE entry_no = 6"],
  ["a number in the owner's log", "UPDATE access_log SET owner_entry_no = owner_entry_no + 1000 WHERE entry_no = 6"],
  ["an entry deleted", "DELETE FROM access_log WHERE entry_no = 6"],
  ["the newest entry deleted", "DELETE FROM access_log WHERE entry_no = (SELECT max(entry_no) FROM access_log)"],
  [
    "two exchanged",
    "UPDATE access_log SET entry_no = CASE entry_no WHEN 6 THEN -7 ELSE -6 END WHERE entry_no IN (6, 7)",
  ],
];

export const tampering: Attack = {
  name: "tampering with the log",
  engines: ["sqlite", "postgres"],
  async run(target) {
    const { token } = await grantNotes(target);
    const server = await startServing(target);
    for (let n = 0; n < 20; n += 1) await (await ask(server, token, "/v1/streams", `t-${n}`)).text();
    await server.stop();
    const whole = (await runOnVault(target, "log", "verify")).code;
    const unseen: string[] = [];
    for (const [what, statement] of edits) {
      const store = await openStore(toStoreLocation(target));
      try {
        const undo = new Error("undo");
        const found = await store.engine
          .write(async (on) => {
            await on.run(raw(statement));
            await on.run(raw("UPDATE access_log SET entry_no = -entry_no WHERE entry_no < 0"));
            if ((await verifyLog(on, 1)).fault === null) unseen.push(what);
            throw undo;
          })
          .catch((error) => error === undo);
        if (found !== true) unseen.push(`${what} (not tried)`);
      } finally {
        await store.close();
      }
    }
    return {
      held: whole === 0 && unseen.length === 0,
      figure: `${edits.length - unseen.length} of ${edits.length} changes were detected${unseen.length === 0 ? "" : `; not: ${unseen.join(", ")}`}`,
    };
  },
};
