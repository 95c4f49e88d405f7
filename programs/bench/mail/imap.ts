import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { syncSource } from "@pdpp/collecting/sync-source";
import { openTree } from "@pdpp/importers/tree";
import { createOwner } from "@pdpp/server/owner/owner";
import { findOwner } from "@pdpp/server/owner/owners";
import { openStore } from "@pdpp/server/store/store";
import { cleanEnvironment, pdppFile } from "@pdpp/test-support/cli/run-pdpp";
import { measureWholeTree, type WholeTree } from "@pdpp/test-support/processes/measure-whole-tree";
import { watchAccount } from "#connectors/imap/watch/watch-account";
import { splitMails } from "#importers/formats/mail/split";
import { type Dovecot, dovecotLacks, password, startDovecot, user } from "../../../tests/collecting/imap/dovecot.ts";
import { calculateMedian, type Figure, Stopwatch } from "../measure.ts";
import { writeMailbox } from "./mailbox.ts";
import { measureReaders } from "./readers.ts";

const folders = 12;
const idleMails = 100_000;

/** Collects an account from Dovecot, compares that with an import of the same mails, and asks a large idle account for changes. */
export async function measureImap(workDir: string, mails: number): Promise<Figure[]> {
  if (dovecotLacks !== undefined) throw new Error(`this needs ${dovecotLacks}`);
  const file = join(workDir, "all.mbox");
  await writeMailbox(file, mails);
  const imported = await run(workDir, "imported", ["import", file, "--yes"]);
  const server = await startDovecot();
  try {
    await deliverAll(file, server);
    const dataDir = "collected";
    await run(workDir, dataDir, [
      "source",
      "add",
      "imap",
      "--host",
      "127.0.0.1",
      "--user",
      user,
      "--port",
      String(server.port),
      "--security",
      "none",
    ]);
    const sync = () => run(workDir, dataDir, ["source", "sync"]);
    const first = await sync();
    const readers = await measureReaders(workDir, server, mails);
    server.mailbox.createFolder("Old");
    for (let idle = mails; idle < idleMails; idle += 1)
      server.mailbox.deliver("Old", `From: a@example.org\nMessage-ID: <idle-${idle}@example.org>\n\nold\n`);
    await sync();
    const idle = await measureIdleRuns(join(workDir, dataDir));
    const watched = await measureChecks(server);
    const connector = (tree: WholeTree) => tree.programs.get("imap-connector") ?? { peakMb: 0, cpuMs: 0 };
    const perMail = ({ cpuMs }: WholeTree): number => (cpuMs * 1000) / mails;
    const [collected, read] = [perMail(first), perMail(imported)];
    return [
      { what: "collecting an account", unit: "records/s", ours: mails / (first.ms / 1000), limit: { atLeast: 300 } },
      {
        what: "collecting, CPU time per mail (raw: import)",
        unit: "us",
        ours: collected,
        raw: read,
        ratio: collected / read,
        limit: { atMost: 1.5 },
      },
      {
        what: "collecting, peak memory of the connector",
        unit: "MB",
        ours: connector(first).peakMb,
        limit: { atMost: 250 },
      },
      ...readers,
      {
        what: `a run without changes in a server, ${idleMails} mails: CPU time`,
        unit: "ms",
        ours: idle,
        limit: { atMost: 50 },
      },
      { what: "a check of the server's watcher: CPU time", unit: "ms", ours: watched, limit: { atMost: 50 } },
    ];
  } finally {
    await server.stop();
  }
}

const checks = 20;
/** Enough for a check on a busy machine. The rest of it is waiting, which costs nothing. */
const checkMs = 500;

/** CPU time of a scheduled run without changes, as a server does it, and without what is loaded once. */
async function measureIdleRuns(dataDir: string): Promise<number> {
  const store = await openStore({ dataDir });
  try {
    const owner = createOwner({ store, ownerNo: await findOwner(store), now: Date.now });
    const [source] = await owner.sources.list();
    if (source === undefined) throw new Error("the vault has no source");
    const options = { dataDir, databaseUrl: undefined, mode: "incremental" as const, env: { IMAP_PASSWORD: password } };
    const times: number[] = [];
    for (let n = 0; n < checks; n += 1) {
      const watch = new Stopwatch();
      const { status, tally } = await watch.run(() => syncSource(owner, source, options));
      if (status !== "succeeded" || tally.read > 0) throw new Error(`the run ${status} with ${tally.read} records`);
      times.push(watch.cpuMs);
    }
    return calculateMedian(times);
  } finally {
    await store.close();
  }
}

/** CPU time of a check by a server that watches the account, each with a connection of its own, and without what is loaded once. */
async function measureChecks({ port }: Dovecot): Promise<number> {
  const address = { IMAP_HOST: "127.0.0.1", IMAP_PORT: String(port), IMAP_SECURITY: "none" };
  const env = { ...address, IMAP_USER: user, IMAP_PASSWORD: password };
  const times: number[] = [];
  for (let n = 0; n < checks; n += 1) {
    const stop = new AbortController();
    const before = process.cpuUsage();
    const ended = watchAccount(env, { signal: stop.signal, onChange: () => undefined });
    await wait(checkMs);
    stop.abort();
    await ended;
    const used = process.cpuUsage(before);
    times.push((used.user + used.system) / 1000);
  }
  return calculateMedian(times);
}

async function deliverAll(file: string, { mailbox }: Dovecot): Promise<void> {
  const names = Array.from({ length: folders }, (_, n) => (n === 0 ? "INBOX" : `Folder ${n}`));
  for (const name of names) mailbox.createFolder(name);
  const tree = await openTree([file]);
  try {
    let n = 0;
    for (const entry of tree.entries)
      for await (const { bytes } of splitMails(entry, 0)) {
        mailbox.deliver(names[n % folders] ?? "INBOX", bytes);
        n += 1;
      }
  } finally {
    await tree.close();
  }
}

async function run(workDir: string, name: string, args: readonly string[]): Promise<WholeTree> {
  const place = ["--json", "--data-dir", join(workDir, name)];
  const tree = await measureWholeTree([pdppFile, ...args, ...place], cleanEnvironment({ IMAP_PASSWORD: password }));
  if (tree.code !== 0) throw new Error(`pdpp ${args.slice(0, 2).join(" ")} ended with ${tree.code}: ${tree.output}`);
  return tree;
}
