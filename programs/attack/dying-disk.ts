import { spawn } from "node:child_process";
import { copyFileSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { zstdDecompressSync } from "node:zlib";
import { openStore } from "@pdpp/server/store/store";
import { buildTinyManifest, toNdjson } from "@pdpp/test-support/cli/cli-vault";
import { cleanEnvironment, pdppFile, type RunResult, runPdpp, runProgram } from "@pdpp/test-support/cli/run-pdpp";
import { copyGolden, goldenNames } from "@pdpp/test-support/vaults/golden-vaults";
import pg from "pg";
import { verifyBackup } from "#server/backup/backup";
import type { Attack, Outcome, Target } from "./attack.ts";

/** What a machine does to a vault: it dies in the middle, its disk is full, its files come back changed or without each other. */

const records = 4000;
const rounds = 10;
const both = ["sqlite", "postgres"] as const;

const placeOf = ({ dataDir, databaseUrl }: Pick<Target, "dataDir" | "databaseUrl">): string[] => [
  "--data-dir",
  dataDir,
  ...(databaseUrl === undefined ? [] : ["--database-url", databaseUrl]),
];

async function must(ran: Promise<RunResult>): Promise<string> {
  const { code, stdout, stderr } = await ran;
  if (code !== 0) throw new Error(stderr);
  return stdout;
}

/** A vault with some records, and what an export of it says. */
async function filled(folder: string): Promise<{ place: string[]; dataDir: string; whole: string }> {
  const dataDir = join(folder, "source");
  const place = placeOf({ dataDir });
  const manifest = join(folder, "manifest.json");
  const lines = join(folder, "records.ndjson");
  writeFileSync(manifest, JSON.stringify(buildTinyManifest("notes", "entries")));
  const data = Array.from({ length: records }, (_, n) => ({
    data: { id: `n${n}`, title: `a note about gutter ${n}` },
  }));
  writeFileSync(lines, toNdjson(data));
  await must(runPdpp(["connector", "add", manifest, ...place]));
  await must(runPdpp(["connection", "add", "notes", "--id", "mine", ...place]));
  await must(runPdpp(["ingest", "mine", "entries", lines, ...place]));
  return { place, dataDir, whole: await must(runPdpp(["export", ...place])) };
}

/** Runs a command to its end, or kills it after so long; answers whether it was killed. */
async function killed(args: readonly string[], afterMs: number): Promise<boolean> {
  const child = spawn(process.execPath, [pdppFile, ...args], { env: cleanEnvironment(), stdio: "ignore" });
  const ended = new Promise<NodeJS.Signals | null>((resolve) => child.on("close", (_code, signal) => resolve(signal)));
  const timer = setTimeout(() => child.kill("SIGKILL"), afterMs);
  const signal = await ended;
  clearTimeout(timer);
  return signal === "SIGKILL";
}

/** Kills a command again and again, somewhere between its beginning and its end; `check` looks at what it left. */
async function killEverywhere(args: () => readonly string[], check: () => Promise<void>): Promise<number> {
  let takesMs = 0;
  // The second time it starts as fast as it always will.
  for (const _ of ["first", "second"]) {
    const began = Date.now();
    await killed(args(), 60_000);
    takesMs = Date.now() - began;
    await check();
  }
  let kills = 0;
  for (let round = 0; round < rounds; round += 1) {
    if (await killed(args(), takesMs * (0.2 + (0.7 * round) / rounds))) kills += 1;
    await check();
  }
  return kills;
}

async function emptied({ databaseUrl }: Target): Promise<void> {
  const client = new pg.Client(databaseUrl);
  await client.connect();
  await client.query("DROP SCHEMA public CASCADE; CREATE SCHEMA public").finally(() => client.end());
}

const outcome = (kills: number, what: string): Outcome => ({
  held: kills > 0,
  figure: `${kills} of ${rounds} killed, ${what}`,
});

export const killedBackup: Attack = {
  name: "killing a backup",
  engines: ["sqlite"],
  async run({ dataDir }) {
    const { place } = await filled(dataDir);
    let n = 0;
    let whole = 0;
    const kills = await killEverywhere(
      () => {
        n += 1;
        return ["backup", join(dataDir, `${n}.pdpp`), ...place];
      },
      async () => {
        const file = join(dataDir, `${n}.pdpp`);
        if (!existsSync(file)) return;
        await verifyBackup(file);
        whole += 1;
      },
    );
    return outcome(kills, `${whole} files there, all of them whole`);
  },
};

export const killedRestore: Attack = {
  name: "killing a restore",
  engines: both,
  async run(target) {
    const { place, whole } = await filled(target.dataDir);
    const file = join(target.dataDir, "one.pdpp");
    await must(runPdpp(["backup", file, ...place]));
    const to = { ...target, dataDir: join(target.dataDir, "restored") };
    const restoring = ["restore", file, ...placeOf(to)];
    let made = 0;
    const isWhole = async (): Promise<boolean> => {
      const ran = await runPdpp(["export", ...placeOf(to)]);
      if (ran.code !== 0 || ran.stdout !== whole) throw new Error(`half a vault: ${ran.stderr}`);
      return true;
    };
    const kills = await killEverywhere(
      () => restoring,
      async () => {
        const again = await runPdpp(restoring);
        // It is refused where the vault is there already.
        if (again.code !== 0 && !again.stderr.includes("already contains a vault")) throw new Error(again.stderr);
        if (await isWhole()) made += 1;
        if (target.engine === "sqlite") rmSync(to.dataDir, { recursive: true });
        else await emptied(target);
      },
    );
    return outcome(kills, `${made} restored whole by running it again`);
  },
};

export const killedMigration: Attack = {
  name: "killing a migration",
  engines: both,
  async run(target) {
    const [oldest = ""] = goldenNames;
    const place = { ...target, dataDir: join(target.dataDir, "old") };
    const put = async (): Promise<void> => {
      rmSync(place.dataDir, { recursive: true, force: true });
      mkdirSync(place.dataDir);
      if (target.engine === "postgres") await emptied(target);
      await copyGolden(oldest, place);
    };
    let whole: string | undefined;
    await put();
    const kills = await killEverywhere(
      () => ["log", "--limit", "1", ...placeOf(place)],
      async () => {
        const store = await openStore(place);
        await store.reindex();
        await store.close();
        const text = await must(runPdpp(["export", ...placeOf(place)]));
        whole ??= text;
        if (text !== whole) throw new Error("the migrated vault reads otherwise");
        await put();
      },
    );
    return outcome(kills, `${rounds + 2} migrated whole by opening them again`);
  },
};

export const damagedBackup: Attack = {
  name: "changing and cutting a backup",
  engines: ["sqlite"],
  async run({ dataDir }) {
    const { place } = await filled(dataDir);
    const file = join(dataDir, "one.pdpp");
    await must(runPdpp(["backup", file, ...place]));
    const whole = readFileSync(file);
    const other = join(dataDir, "other.pdpp");
    let refused = 0;
    let same = 0;
    const tries = 200;
    for (let n = 0; n < tries; n += 1) {
      const at = Math.floor((n * whole.length) / tries);
      const changed = Buffer.from(whole);
      changed[at] = (changed[at] ?? 0) ^ (1 << (n % 8));
      for (const bytes of [changed, whole.subarray(0, at)]) {
        writeFileSync(other, bytes);
        // Some bits mean nothing to the compression: what such a file holds is still the same.
        const isSame = await verifyBackup(other).then(
          () => zstdDecompressSync(bytes).equals(zstdDecompressSync(whole)),
          () => undefined,
        );
        if (isSame === undefined) refused += 1;
        else if (isSame) same += 1;
      }
    }
    const figure = `${refused} of ${2 * tries} refused, ${same} hold what they held`;
    return { held: refused + same === 2 * tries && same < tries / 10, figure };
  },
};

const fullDisks = 20;

/** No file may become larger than so many kilobytes: what a full disk does, without filling anybody's. */
const cramped = (args: readonly string[], kilobytes: number): Promise<RunResult> =>
  runProgram("bash", [
    "-c",
    `trap '' XFSZ; ulimit -f ${kilobytes}; exec "$@"`,
    "cramped",
    process.execPath,
    pdppFile,
    ...args,
  ]);

export const fullDisk: Attack = {
  name: "a disk that is full during a backup or a restore",
  engines: ["sqlite"],
  async run({ dataDir }) {
    const { place, whole } = await filled(dataDir);
    const file = join(dataDir, "one.pdpp");
    await must(runPdpp(["backup", file, ...place]));
    const kilobytes = readFileSync(file).length / 1024;
    const to = join(dataDir, "restored");
    let refused = 0;
    for (let n = 1; n <= fullDisks / 2; n += 1) {
      const part = (1.9 * n) / fullDisks;
      const half = join(dataDir, "half.pdpp");
      const backing = await cramped(["backup", half, ...place], Math.floor(kilobytes * part));
      if (backing.code !== 0 && !existsSync(half) && !existsSync(`${half}.part`)) refused += 1;
      const restoring = await cramped(["restore", file, "--data-dir", to], Math.floor(600 * part));
      if (restoring.code !== 0 && !existsSync(join(to, "vault.db"))) refused += 1;
    }
    await must(runPdpp(["restore", file, "--data-dir", to]));
    const same = (await must(runPdpp(["export", "--data-dir", to]))) === whole;
    return {
      held: refused === fullDisks && same,
      figure: `${refused} of ${fullDisks} failed and left nothing; with room it was restored`,
    };
  },
};

export const copiedFile: Attack = {
  name: "a copy of an open vault without its log",
  engines: ["sqlite"],
  async run({ dataDir }) {
    const { dataDir: source } = await filled(dataDir);
    const open = await openStore({ dataDir: source });
    let refused = 0;
    const tries = 20;
    for (let n = 0; n < tries; n += 1) {
      await open.engine.write((on) => on.insert("meta", noteColumns, [[`note ${n}`, ""]]));
      if (n % 5 === 4) await open.engine.reclaimSpace();
      const copy = join(dataDir, `copy-${n}`);
      mkdirSync(copy);
      copyFileSync(join(source, "vault.db"), join(copy, "vault.db"));
      const store = await openStore({ dataDir: copy }).catch(() => undefined);
      if (store === undefined) refused += 1;
      await store?.close();
      await wait(10);
    }
    await open.close();
    const whole = join(dataDir, "closed");
    mkdirSync(whole);
    copyFileSync(join(source, "vault.db"), join(whole, "vault.db"));
    const closed = await openStore({ dataDir: whole });
    await closed.close();
    return { held: refused === tries, figure: `${refused} of ${tries} refused, the copy of the closed vault opens` };
  },
};

const noteColumns = [
  { name: "name", type: "text" },
  { name: "value", type: "text" },
] as const;
