import { join } from "node:path";
import { openTree } from "@pdpp/importers/tree";
import { cleanEnvironment, pdppFile } from "@pdpp/test-support/cli/run-pdpp";
import { measureWholeTree, type WholeTree } from "@pdpp/test-support/processes/measure-whole-tree";
import { splitMails } from "#importers/formats/mail/split";
import { type Dovecot, dovecotLacks, password, startDovecot, user } from "../../tests/collecting/imap/dovecot.ts";
import { writeMailbox } from "./mailbox.ts";
import type { Figure } from "./measure.ts";

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
    server.mailbox.createFolder("Old");
    for (let idle = mails; idle < idleMails; idle += 1)
      server.mailbox.deliver("Old", `From: a@example.org\nMessage-ID: <idle-${idle}@example.org>\n\nold\n`);
    await sync();
    const check = await sync();
    const connector = (tree: WholeTree) => tree.programs.get("imap-connector") ?? { peakMb: 0, cpuMs: 0 };
    const perMail = ({ cpuMs }: WholeTree): number => (cpuMs * 1000) / mails;
    const ratio = perMail(first) / perMail(imported);
    return [
      { what: "collecting", unit: "records/s", ours: mails / (first.ms / 1000), limit: { atLeast: 300 } },
      {
        what: "collecting and importing, CPU time per mail",
        unit: "us",
        ours: perMail(first),
        raw: perMail(imported),
        ratio,
        limit: { atMost: 1.5 },
      },
      {
        what: "collecting, peak memory of the connector",
        unit: "MB",
        ours: connector(first).peakMb,
        limit: { atMost: 250 },
      },
      ...[...first.programs].map(([name, { peakMb }]): Figure => ({ what: `of ${name}`, unit: "MB", ours: peakMb })),
      ...[...first.programs].map(
        ([name, { cpuMs }]): Figure => ({ what: `CPU of ${name}`, unit: "us", ours: (cpuMs * 1000) / mails }),
      ),
      ...[...imported.programs].map(
        ([name, { cpuMs }]): Figure => ({ what: `import: CPU of ${name}`, unit: "us", ours: (cpuMs * 1000) / mails }),
      ),
      { what: `a sync without changes, ${idleMails} mails, CPU time`, unit: "ms", ours: check.cpuMs },
      { what: "of which the connector", unit: "ms", ours: connector(check).cpuMs },
    ];
  } finally {
    await server.stop();
  }
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
