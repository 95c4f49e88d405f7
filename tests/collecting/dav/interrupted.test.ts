import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { RunDocument } from "@pdpp/contract/sources";
import { createOwner } from "@pdpp/server/owner/owner";
import { findOwner } from "@pdpp/server/owner/owners";
import { openStore } from "@pdpp/server/store/store";
import { cleanEnvironment, pdppFile } from "@pdpp/test-support/cli/run-pdpp";
import { chooseRuns } from "@pdpp/test-support/vitest/long-runs";
import { createRandom, type Random } from "@pdpp/test-support/vitest/random";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { raw } from "#server/store/engine/sql";
import { type DroppingProxy, startDroppingProxy } from "./dropping-proxy.ts";
import {
  component,
  contact,
  event,
  hasRadicale,
  password,
  type Radicale,
  radicaleMissing,
  startRadicale,
} from "./radicale.ts";
import { type Content, readCalendarFiles, readContactFiles } from "./read-files.ts";

/** Collections that change while connections drop and pdpp is killed; then the vault is compared with the server's files. */

const rounds = chooseRuns(3, 50);
const items = chooseRuns(300, 5000);
const collections = ["a", "b", "c"];

interface Kind {
  readonly builtin: "caldav" | "carddav";
  create(server: Radicale, name: string): void;
  write(random: Random, uid: string, version: number): readonly string[];
  readonly extension: string;
  readExpected(server: Radicale): Content;
  describe(data: Readonly<Record<string, unknown>>): string;
}

const formatTime = (random: Random): string =>
  `202611${String(random.int(1, 28)).padStart(2, "0")}T${String(random.int(0, 23)).padStart(2, "0")}0000Z`;

const calendars: Kind = {
  builtin: "caldav",
  create: (server, name) => server.createCalendar(name),
  write(random, uid, version) {
    const start = formatTime(random);
    if (random.chance(0.7)) return event(uid, `Event ${uid} v${version}`, [`DTSTART:${start}`]);
    const rule = `RRULE:FREQ=${random.pick(["DAILY", "WEEKLY"])};COUNT=${random.int(1, 8)}`;
    const series = event(uid, `Series ${uid} v${version}`, [`DTSTART:${start}`, rule]);
    if (random.chance(0.5)) return series;
    const override = [`RECURRENCE-ID:${start}`, `DTSTART:${formatTime(random)}`];
    return series.toSpliced(-1, 0, ...component(uid, `Moved ${uid} v${version}`, override));
  },
  extension: "ics",
  readExpected: (server) => readCalendarFiles(server, collections),
  describe: ({ title, starts_at, calendar }) => `${title} ${new Date(String(starts_at)).toISOString()} ${calendar}`,
};

const contacts: Kind = {
  builtin: "carddav",
  create: (server, name) => server.createAddressBook(name),
  write: (_random, uid, version) => contact(uid, `Person ${uid}`, [`NOTE:version ${version}`]),
  extension: "vcf",
  readExpected: (server) => readContactFiles(server, collections),
  describe: ({ display_name, note }) => `${display_name} ${note ?? ""}`,
};

describe.skipIf(!hasRadicale).each([
  ["calendars", calendars],
  ["address books", contacts],
])(`%s under interruptions${hasRadicale ? "" : ` (${radicaleMissing})`}`, (_name, kind) => {
  const folder = mkdtempSync(join(tmpdir(), "pdpp-kill-dav-"));
  const dataDir = join(folder, "vault");
  const random = createRandom(25);
  let server: Radicale;
  let proxy: DroppingProxy;
  let next = 0;
  beforeAll(async () => {
    server = await startRadicale();
    proxy = await startDroppingProxy(server.port, random.next);
    for (const name of collections) kind.create(server, name);
    for (let n = 0; n < items; n += 1) add();
  });
  afterAll(async () => {
    proxy.close();
    await server.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  const name = (uid: string): string => `${uid}.${kind.extension}`;
  function add(): void {
    next += 1;
    const uid = `u${next}`;
    server.write(random.pick(collections), name(uid), kind.write(random, uid, 0));
  }

  function change(version: number): void {
    for (let n = random.int(1, Math.min(30, items / 10)); n > 0; n -= 1) {
      const from = random.pick(collections);
      const files = server.listNames(from);
      if (files.length === 0 || random.chance(0.2)) {
        add();
        continue;
      }
      const file = random.pick(files);
      const text = server.read(from, file);
      const uid = /^UID:(.*?)\r?$/m.exec(text)?.[1] ?? "";
      const step = random.next();
      if (step < 0.4) server.write(from, file, kind.write(random, uid, version));
      else if (step < 0.6) server.remove(from, file);
      else {
        // Moves or copies it, perhaps under another name.
        server.write(random.pick(collections), random.chance(0.5) ? file : name(`${uid}-${version}`), text);
        if (step < 0.9) server.remove(from, file);
      }
    }
    if (random.chance(0.15)) for (const each of collections) forget(each);
  }

  function forget(collection: string): void {
    try {
      server.forgetTokens(collection);
    } catch {
      // Nobody has asked for one yet.
    }
  }

  /** Runs the command; kills it after this many milliseconds. Returns its run if it ended. */
  function runPdpp(args: readonly string[], killAfter?: number): Promise<string | undefined> {
    const child = spawn(process.execPath, [pdppFile, "source", ...args, "--json", "--data-dir", dataDir], {
      env: cleanEnvironment({ HOME: folder, DAV_PASSWORD: password }),
      stdio: ["ignore", "pipe", "inherit"],
    });
    let text = "";
    child.stdout.on("data", (chunk: Buffer) => {
      text += chunk.toString();
    });
    const timer = killAfter === undefined ? undefined : setTimeout(() => child.kill("SIGKILL"), killAfter);
    return new Promise((resolve) =>
      child.on("close", (_code, signal) => {
        clearTimeout(timer);
        resolve(signal === null ? text : undefined);
      }),
    );
  }

  async function sync(): Promise<RunDocument> {
    const { data } = JSON.parse((await runPdpp(["sync"])) ?? "{}") as { data: RunDocument[] };
    const [run] = data;
    if (run === undefined) throw new Error("there was no run");
    return run;
  }

  const withStore = async <T>(work: (store: Awaited<ReturnType<typeof openStore>>) => Promise<T>): Promise<T> => {
    const store = await openStore({ dataDir });
    try {
      return await work(store);
    } finally {
      await store.close();
    }
  };
  /** As if the lease of a killed run had expired. */
  const expireLease = () =>
    withStore(({ engine }) => engine.write((on) => on.run(raw("UPDATE source SET lease_until = 1"))));
  const readVault = () =>
    withStore(async (store) => {
      const owner = createOwner({ store, ownerNo: await findOwner(store), now: Date.now });
      const content: Content = new Map();
      for await (const { id, data } of (await owner.reader()).export({})) content.set(id, kind.describe(data));
      return content;
    });
  const sort = (content: Content): [string, string][] => [...content].sort(([a], [b]) => (a < b ? -1 : 1));

  it(`[COL-115] equals the server's files after ${rounds} rounds`, async () => {
    await runPdpp(["add", kind.builtin, "--url", proxy.url, "--user", "ada"]);
    let kills = 0;
    let failures = 0;
    for (let round = 1; round <= rounds; round += 1) {
      proxy.rate = 0.6;
      // The first is killed before any machine has finished it.
      if ((await runPdpp(["sync"], round === 1 ? 300 : random.int(300, 4000))) === undefined) kills += 1;
      await expireLease();
      change(round);
      proxy.rate = 0.8;
      if ((await sync()).status !== "succeeded") failures += 1;
      change(round + 0.5);
      if (round % 3 !== 0 && round !== rounds) continue;
      proxy.rate = 0;
      const run = await sync();
      expect(run, JSON.stringify(run.error)).toMatchObject({ status: "succeeded" });
      expect(run.skipped).toBeUndefined();
      expect(sort(await readVault())).toEqual(sort(kind.readExpected(server)));
      expect((await sync()).tally.read).toBe(0);
    }
    expect(kills).toBeGreaterThan(0);
    expect(proxy.drops).toBeGreaterThan(rounds / 2);
    expect(failures).toBeLessThanOrEqual(rounds);
  });
});
