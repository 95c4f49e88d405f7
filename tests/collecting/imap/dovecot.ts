import { type ChildProcess, execFile, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import {
  chmodSync,
  chownSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { connect, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { promisify } from "node:util";

/** A Dovecot server on loopback, and its Maildir as another program sees it. */

const program = "/usr/sbin/dovecot";

export const dovecotLacks = ((): string | undefined => {
  try {
    return statSync(program).isFile() ? undefined : "Dovecot";
  } catch {
    return "Dovecot (apt-get install dovecot-imapd)";
  }
})();

/** Dovecot refuses to run as root. */
const account = ((): { uid: number; gid: number; name: string; group: string } => {
  const ask = (...args: string[]): string => execFileSync("id", args, { encoding: "utf8" }).trim();
  if (process.getuid?.() === 0) return { uid: 65534, gid: 65534, name: "nobody", group: "nogroup" };
  return { uid: Number(ask("-u")), gid: Number(ask("-g")), name: ask("-un"), group: ask("-gn") };
})();

/** Capabilities of servers that know less. Dovecot cannot take one away. */
export const lesserServers = {
  condstore:
    "IMAP4rev1 SASL-IR ID ENABLE IDLE UIDPLUS UNSELECT CHILDREN NAMESPACE LIST-EXTENDED MOVE LITERAL+ ESEARCH CONDSTORE",
  bare: "IMAP4rev1 LITERAL+",
} as const;

interface DovecotOptions {
  readonly capabilities?: string;
  /** PEM files; without them there is no TLS. */
  readonly tls?: { readonly certificate: string; readonly key: string };
  /** The address at which a provider says whose token it is (RFC 7662). With it there are no passwords. */
  readonly introspectionUrl?: string;
}

export interface Dovecot {
  readonly port: number;
  readonly mailbox: Maildir;
  /** Runs `doveadm` as the server's user, as another mail program would change the account. */
  change(...args: string[]): Promise<void>;
  /** Kills the processes of open connections, without a word to the clients. Returns how many there were. */
  dropConnections(): number;
  countConnections(): number;
  configure(options: DovecotOptions): Promise<void>;
  stop(): Promise<void>;
}

export const user = "ada";
export const password = "secret-of-the-account";

export async function startDovecot(options: DovecotOptions = {}): Promise<Dovecot> {
  const folder = mkdtempSync(join(tmpdir(), "pdpp-dovecot-"));
  const port = await findPort();
  chmodSync(folder, 0o755);
  for (const name of ["mail", "home", "state", "run"]) mkdirSync(join(folder, name));
  for (const name of [".", "mail", "home", "state", "run"]) chownSync(join(folder, name), account.uid, account.gid);
  const file = join(folder, "dovecot.conf");
  let child: ChildProcess | undefined;
  const start = async (given: DovecotOptions): Promise<void> => {
    writeFileSync(file, writeConfiguration(folder, port, given));
    if (given.introspectionUrl !== undefined)
      writeFileSync(join(folder, "oauth2.ext"), writeIntrospection(given.introspectionUrl));
    const ids = process.getuid?.() === 0 ? { uid: account.uid, gid: account.gid } : {};
    child = spawn(program, ["-c", file, "-F"], { ...ids, detached: true, stdio: "ignore" });
    await waitForPort(port);
  };
  const stop = async (): Promise<void> => {
    if (child === undefined || child.exitCode !== null) return;
    const ended = once(child, "exit");
    child.kill("SIGTERM");
    await ended;
  };
  const listConnections = (): number[] => listChildren(child?.pid ?? -1).filter((pid) => readCommand(pid) === "imap");
  await start(options);
  return {
    port,
    mailbox: new Maildir(join(folder, "mail", user)),
    async change(...args) {
      const ids = process.getuid?.() === 0 ? { uid: account.uid, gid: account.gid } : {};
      await promisify(execFile)("doveadm", ["-c", file, ...args], ids);
    },
    dropConnections() {
      return listConnections().filter(killProcess).length;
    },
    countConnections: () => listConnections().length,
    async configure(given) {
      await stop();
      await start(given);
    },
    async stop() {
      await stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function writeConfiguration(
  folder: string,
  port: number,
  { capabilities, tls, introspectionUrl }: DovecotOptions,
): string {
  const { uid, gid, name, group } = account;
  return `base_dir = ${folder}/run
state_dir = ${folder}/state
log_path = ${folder}/dovecot.log
protocols = imap
listen = 127.0.0.1
${tls === undefined ? "ssl = no" : `ssl = required\nssl_cert = <${tls.certificate}\nssl_key = <${tls.key}`}
disable_plaintext_auth = no
auth_mechanisms = ${introspectionUrl === undefined ? "plain login" : "xoauth2"}
default_internal_user = ${name}
default_internal_group = ${group}
default_login_user = ${name}
mail_location = maildir:${folder}/mail/%u:LAYOUT=fs:INBOX=${folder}/mail/%u/INBOX
mail_fsync = never
mail_max_userip_connections = 20
auth_failure_delay = 0
${capabilities === undefined ? "" : `imap_capability = ${capabilities}`}
namespace inbox {
  inbox = yes
  separator = /
}
passdb {
  ${introspectionUrl === undefined ? `driver = static\n  args = password=${password}` : `driver = oauth2\n  args = ${folder}/oauth2.ext`}
}
userdb {
  driver = static
  args = uid=${uid} gid=${gid} home=${folder}/home/%u
}
service imap-login {
  chroot =
  inet_listener imap {
    port = ${port}
  }
  inet_listener imaps {
    port = 0
  }
}
service anvil {
  chroot =
  unix_listener anvil-auth-penalty {
    mode = 0
  }
}
service stats {
  chroot =
}
`;
}

const writeIntrospection = (url: string): string => `introspection_mode = post
introspection_url = ${url}
username_attribute = sub
active_attribute = active
active_value = true
`;

/** Folders have their names in IMAP's own UTF-7. */
const encodeName = (name: string): string =>
  name.replace(/[^ -~]+/g, (text) => {
    const bytes = Buffer.from(text, "utf16le").swap16();
    return `&${bytes.toString("base64").replace(/=+$/, "").replaceAll("/", ",")}-`;
  });

const decodeName = (name: string): string =>
  name.replace(/&([^-]+)-/g, (_, text: string) =>
    Buffer.from(text.replaceAll(",", "/"), "base64").swap16().toString("utf16le"),
  );

/** The account's mails as files. */
class Maildir {
  readonly #root: string;
  #delivered = 0;

  constructor(root: string) {
    this.#root = root;
  }

  createFolder(name: string): void {
    for (const part of ["", "cur", "new", "tmp"]) this.#makeFolder(join(this.#root, encodeName(name), part));
  }

  #makeFolder(path: string): void {
    const made = mkdirSync(path, { recursive: true });
    if (made === undefined) return;
    for (let at = path; at.length >= made.length; at = join(at, "..")) chownSync(at, account.uid, account.gid);
  }

  /** Delivers a mail as a mail server does. */
  deliver(folder: string, mail: string | Uint8Array): void {
    this.#delivered += 1;
    const name = `${1_700_000_000 + this.#delivered}.M${this.#delivered}P1.test`;
    const path = join(this.#root, encodeName(folder));
    const [draft, place] = [join(path, "tmp", name), join(path, "new", name)];
    writeFileSync(draft, mail);
    chownSync(draft, account.uid, account.gid);
    renameSync(draft, place);
  }

  /** Forgets the UIDs of a folder, so that all mails get new ones. */
  loseUids(folder: string): void {
    const path = join(this.#root, encodeName(folder));
    for (const name of readdirSync(path)) if (name.startsWith("dovecot")) rmSync(join(path, name), { recursive: true });
  }

  listFolders(): string[] {
    return readdirSync(this.#root, { withFileTypes: true })
      .filter((entry) => entry.isDirectory())
      .map(({ name }) => name);
  }

  countMails(folder: string): number {
    return this.listFiles().filter((path) => path.startsWith(`${encodeName(folder)}/`)).length;
  }

  /** Paths of all mails. They have the flags in their names, and say whether a mail is new. */
  listFiles(): string[] {
    const files: string[] = [];
    for (const folder of this.listFolders())
      for (const part of ["cur", "new"])
        for (const name of readdirSync(join(this.#root, folder, part))) files.push(`${folder}/${part}/${name}`);
    return files.sort();
  }

  /** The folders of each mail by its Message-ID. */
  readMails(): Map<string, string[]> {
    return this.#collect(({ folder }) => [folder]);
  }

  /** The flags of each mail by its Message-ID, from the names of its files in these folders. */
  readFlags(folders: readonly string[]): Map<string, string[]> {
    return this.#collect(({ folder, path }) => {
      if (!folders.includes(folder)) return undefined;
      const letters = /:2,(.*)$/.exec(path)?.[1] ?? "";
      return [...letters].flatMap((letter) => flagsByLetter[letter] ?? []);
    });
  }

  /** What the files of each mail say together. Undefined leaves a file out. */
  #collect(read: (file: { readonly folder: string; readonly path: string }) => string[] | undefined) {
    const found = new Map<string, Set<string>>();
    for (const path of this.listFiles()) {
      const id = /^Message-ID: *<([^>]+)>/im.exec(readFileSync(join(this.#root, path), "latin1"))?.[1];
      const values = read({ folder: decodeName(path.split("/")[0] ?? ""), path });
      if (id === undefined || values === undefined) continue;
      found.set(id, new Set([...(found.get(id) ?? []), ...values]));
    }
    return new Map([...found].map(([id, values]) => [id, [...values].sort()]));
  }
}

/** Of the Maildir format. */
const flagsByLetter: Readonly<Record<string, string>> = {
  D: "draft",
  F: "flagged",
  R: "answered",
  S: "seen",
  T: "deleted",
};

async function findPort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  server.close();
  await once(server, "close");
  if (address === null || typeof address === "string") throw new Error("no port");
  return address.port;
}

async function waitForPort(port: number): Promise<void> {
  for (;;) {
    const socket = connect(port, "127.0.0.1");
    try {
      await once(socket, "connect");
      return;
    } catch {
      await wait(50);
    } finally {
      socket.destroy();
    }
  }
}

function listChildren(parent: number): number[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .filter((name) => readStat(name)?.parent === parent)
    .map(Number);
}

/** False if it has ended by itself. */
function killProcess(pid: number): boolean {
  try {
    return process.kill(pid, "SIGKILL");
  } catch {
    return false;
  }
}

const readCommand = (pid: number): string | undefined => readStat(String(pid))?.command;

function readStat(pid: string): { readonly command: string; readonly parent: number } | undefined {
  try {
    const [, command = "", parent] = /^\d+ \((.*)\) \S (\d+)/s.exec(readFileSync(`/proc/${pid}/stat`, "utf8")) ?? [];
    return { command, parent: Number(parent) };
  } catch {
    return undefined;
  }
}
