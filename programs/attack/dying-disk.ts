import { spawn } from "node:child_process";
import { copyFileSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { openStore } from "@pdpp/server/store/store";
import { buildTinyManifest, toNdjson } from "@pdpp/test-support/cli/cli-vault";
import { cleanEnvironment, pdppFile, type RunResult, runPdpp, runProgram } from "@pdpp/test-support/cli/run-pdpp";
import { copyGolden, goldenNames } from "@pdpp/test-support/vaults/golden-vaults";
import { verifyBackup } from "#server/backup/backup";
import type { Attack, Outcome, Target } from "./attack.ts";
import { emptyDatabase } from "./backups/empty-place.ts";

/** Machine failures: a process dies midway, the disk is full, files come back altered or incomplete. */

const records = 4000;
const rounds = 10;
const both = ["sqlite", "postgres"] as const;

const toVaultOptions = ({ dataDir, databaseUrl }: Pick<Target, "dataDir" | "databaseUrl">): string[] => [
  "--data-dir",
  dataDir,
  ...(databaseUrl === undefined ? [] : ["--database-url", databaseUrl]),
];

async function must(ran: Promise<RunResult>): Promise<string> {
  const { code, stdout, stderr } = await ran;
  if (code !== 0) throw new Error(stderr);
  return stdout;
}

/** A vault with some records, and the text of its export. */
async function createFilledVault(folder: string): Promise<{ place: string[]; dataDir: string; whole: string }> {
  const dataDir = join(folder, "source");
  const place = toVaultOptions({ dataDir });
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

/** Runs a command to its end or kills it after a delay; returns whether it was killed. */
async function runAndKill(args: readonly string[], afterMs: number): Promise<boolean> {
  const child = spawn(process.execPath, [pdppFile, ...args], { env: cleanEnvironment(), stdio: "ignore" });
  const ended = new Promise<NodeJS.Signals | null>((resolve) => child.on("close", (_code, signal) => resolve(signal)));
  const timer = setTimeout(() => child.kill("SIGKILL"), afterMs);
  const signal = await ended;
  clearTimeout(timer);
  return signal === "SIGKILL";
}

/** Kills a command repeatedly at random moments; `check` inspects what it left behind. */
async function killEverywhere(args: () => readonly string[], check: () => Promise<void>): Promise<number> {
  let takesMs = 0;
  // The first run compiles the sources; later runs start at full speed.
  for (const _ of ["first", "second"]) {
    const began = Date.now();
    await runAndKill(args(), 60_000);
    takesMs = Date.now() - began;
    await check();
  }
  let kills = 0;
  for (let round = 0; round < rounds; round += 1) {
    if (await runAndKill(args(), takesMs * (0.2 + (0.7 * round) / rounds))) kills += 1;
    await check();
  }
  return kills;
}

const toOutcome = (kills: number, what: string): Outcome => ({
  held: kills > 0,
  figure: `${kills} of ${rounds} killed, ${what}`,
});

export const killedBackup: Attack = {
  name: "killing a backup",
  engines: ["sqlite"],
  async run({ dataDir }) {
    const { place } = await createFilledVault(dataDir);
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
    return toOutcome(kills, `${whole} files remained, all of them complete`);
  },
};

export const killedRestore: Attack = {
  name: "killing a restore",
  engines: both,
  async run(target) {
    const { place, whole } = await createFilledVault(target.dataDir);
    const file = join(target.dataDir, "one.pdpp");
    await must(runPdpp(["backup", file, ...place]));
    const to = { ...target, dataDir: join(target.dataDir, "restored") };
    const restoring = ["restore", file, ...toVaultOptions(to)];
    let made = 0;
    const isWhole = async (): Promise<boolean> => {
      const ran = await runPdpp(["export", ...toVaultOptions(to)]);
      if (ran.code !== 0 || ran.stdout !== whole) throw new Error(`half a vault: ${ran.stderr}`);
      return true;
    };
    const kills = await killEverywhere(
      () => restoring,
      async () => {
        const again = await runPdpp(restoring);
        // Restoring over an existing vault is rejected.
        if (again.code !== 0 && !again.stderr.includes("already contains a vault")) throw new Error(again.stderr);
        if (await isWhole()) made += 1;
        if (target.engine === "sqlite") rmSync(to.dataDir, { recursive: true });
        else await emptyDatabase(target);
      },
    );
    return toOutcome(kills, `${made} restored completely by running it again`);
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
      if (target.engine === "postgres") await emptyDatabase(target);
      await copyGolden(oldest, place);
    };
    let whole: string | undefined;
    await put();
    const kills = await killEverywhere(
      () => ["log", "--limit", "1", ...toVaultOptions(place)],
      async () => {
        const store = await openStore(place);
        await store.reindex();
        await store.close();
        const text = await must(runPdpp(["export", ...toVaultOptions(place)]));
        whole ??= text;
        if (text !== whole) throw new Error("the migrated vault reads differently");
        await put();
      },
    );
    return toOutcome(kills, `${rounds + 2} migrated completely by opening them again`);
  },
};

const fullDisks = 20;

/** Limits the size of files, which simulates a full disk. */
const runWithFileLimit = (args: readonly string[], kilobytes: number): Promise<RunResult> =>
  runProgram("bash", [
    "-c",
    `trap '' XFSZ; ulimit -f ${kilobytes}; exec "$@"`,
    "cramped",
    process.execPath,
    pdppFile,
    ...args,
  ]);

export const fullDisk: Attack = {
  name: "filling the disk during a backup or a restore",
  engines: ["sqlite"],
  async run({ dataDir }) {
    const { place, whole } = await createFilledVault(dataDir);
    const file = join(dataDir, "one.pdpp");
    await must(runPdpp(["backup", file, ...place]));
    const kilobytes = readFileSync(file).length / 1024;
    const to = join(dataDir, "restored");
    let refused = 0;
    for (let n = 1; n <= fullDisks / 2; n += 1) {
      const part = (1.9 * n) / fullDisks;
      const half = join(dataDir, "half.pdpp");
      const backing = await runWithFileLimit(["backup", half, ...place], Math.floor(kilobytes * part));
      if (backing.code !== 0 && !existsSync(half) && !existsSync(`${half}.part`)) refused += 1;
      const restoring = await runWithFileLimit(["restore", file, "--data-dir", to], Math.floor(600 * part));
      if (restoring.code !== 0 && !existsSync(join(to, "vault.db"))) refused += 1;
    }
    await must(runPdpp(["restore", file, "--data-dir", to]));
    const same = (await must(runPdpp(["export", "--data-dir", to]))) === whole;
    return {
      held: refused === fullDisks && same,
      figure: `${refused} of ${fullDisks} failed and left nothing behind; with enough space the restore succeeded`,
    };
  },
};

export const copiedFile: Attack = {
  name: "copying an open vault without its write-ahead log",
  engines: ["sqlite"],
  async run({ dataDir }) {
    const { dataDir: source } = await createFilledVault(dataDir);
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
      if (store?.engine.readOnly !== undefined || store === undefined) refused += 1;
      await store?.close();
      await wait(10);
    }
    await open.close();
    const whole = join(dataDir, "closed");
    mkdirSync(whole);
    copyFileSync(join(source, "vault.db"), join(whole, "vault.db"));
    const closed = await openStore({ dataDir: whole });
    await closed.close();
    return {
      held: refused === tries,
      figure: `${refused} of ${tries} rejected or opened for reading only; the copy of the closed vault opens`,
    };
  },
};

const noteColumns = [
  { name: "name", type: "text" },
  { name: "value", type: "text" },
] as const;
