import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

/** A CalDAV and CardDAV server from Debian (`apt-get install radicale`), whose collections are folders of files. */

export const hasRadicale = spawnSync("radicale", ["--version"]).status === 0;
export const radicaleMissing = "radicale is not installed";

export const password = "correct horse";
const user = "ada";

export interface Radicale {
  readonly url: string;
  readonly port: number;
  /** The folder of a collection. */
  path(collection: string): string;
  createCalendar(name: string, title?: string): void;
  createAddressBook(name: string): void;
  write(collection: string, file: string, lines: string | readonly string[]): void;
  remove(collection: string, file?: string): void;
  list(collection: string): { readonly file: string; readonly text: string }[];
  listNames(collection: string): string[];
  read(collection: string, file: string): string;
  /** Makes the server refuse the sync tokens that it gave out. */
  forgetTokens(collection: string): void;
  restart(): Promise<void>;
  stop(): Promise<void>;
}

export async function startRadicale(): Promise<Radicale> {
  const folder = mkdtempSync(join(tmpdir(), "pdpp-radicale-"));
  const port = await findPort();
  const root = join(folder, "collections", "collection-root", user);
  mkdirSync(root, { recursive: true });
  writeFileSync(join(folder, "users"), `${user}:${password}\n`);
  writeFileSync(
    join(folder, "config"),
    `[server]
hosts = 127.0.0.1:${port}
[auth]
type = htpasswd
htpasswd_filename = ${folder}/users
htpasswd_encryption = plain
delay = 0
[rights]
type = owner_only
[storage]
filesystem_folder = ${folder}/collections
[web]
type = none
[logging]
level = error
`,
  );
  const start = async (): Promise<ChildProcess> => {
    const child = spawn("radicale", ["-C", join(folder, "config")], { stdio: "ignore" });
    while (
      !(await fetch(`http://127.0.0.1:${port}/`, { redirect: "manual" }).then(
        () => true,
        () => false,
      ))
    )
      await sleep(100);
    return child;
  };
  let server = await start();
  const end = async (): Promise<void> => {
    const exited = once(server, "exit");
    server.kill();
    await exited;
  };
  const path = (collection: string): string => join(root, collection);
  const listNames = (collection: string): string[] =>
    readdirSync(path(collection))
      .filter((file) => /\.(ics|vcf)$/.test(file))
      .sort();
  const read = (collection: string, file: string): string => readFileSync(join(path(collection), file), "utf8");
  const create = (name: string, props: object): void => {
    mkdirSync(path(name), { recursive: true });
    writeFileSync(join(path(name), ".Radicale.props"), JSON.stringify(props));
  };
  return {
    url: `http://127.0.0.1:${port}/`,
    port,
    path,
    createCalendar: (name, title = name) => create(name, { tag: "VCALENDAR", "D:displayname": title }),
    createAddressBook: (name) => create(name, { tag: "VADDRESSBOOK", "D:displayname": name }),
    write: (collection, file, lines) =>
      writeFileSync(join(path(collection), file), typeof lines === "string" ? lines : `${lines.join("\r\n")}\r\n`),
    remove: (collection, file = "") => rmSync(join(path(collection), file), { recursive: true }),
    list: (collection) => listNames(collection).map((file) => ({ file, text: read(collection, file) })),
    listNames,
    read,
    forgetTokens: (collection) => rmSync(join(path(collection), ".Radicale.cache", "sync-token"), { recursive: true }),
    async restart() {
      await end();
      server = await start();
    },
    async stop() {
      await end();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

async function findPort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  server.close();
  if (address === null || typeof address === "string") throw new Error("no port");
  return address.port;
}

/** One calendar object. */
export const event = (uid: string, title: string, more: readonly string[] = ["DTSTART:20261103T090000Z"]): string[] => [
  "BEGIN:VCALENDAR",
  "VERSION:2.0",
  "PRODID:-//test//test//EN",
  ...component(uid, title, more),
  "END:VCALENDAR",
];

export const component = (uid: string, title: string, more: readonly string[]): string[] => [
  "BEGIN:VEVENT",
  `UID:${uid}`,
  "DTSTAMP:20261001T000000Z",
  `SUMMARY:${title}`,
  ...more,
  "END:VEVENT",
];

export const contact = (uid: string, name: string, more: readonly string[] = []): string[] => [
  "BEGIN:VCARD",
  "VERSION:3.0",
  `UID:${uid}`,
  `FN:${name}`,
  `N:${name};;;;`,
  ...more,
  "END:VCARD",
];
