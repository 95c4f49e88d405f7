import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { gzipSync } from "node:zlib";
import { readStage } from "@pdpp/test-support/web/import-page";
import type { Person, VisitedPage } from "@pdpp/test-support/web/person";
import { writeTar } from "../../../tests/importers/archives/tar-writer.ts";
import { writeZip } from "../../../tests/importers/archives/zip-writer.ts";
import type { Attack, Target } from "../attack.ts";
import { asOwner, type Served, startServing } from "../served.ts";
import { createTrials } from "../trials.ts";
import { formatCookies, loadCsrfToken, signIn } from "../web/visitor.ts";

/** Uploads and paths that try to reach files next to them, to fill the disk, or to bring the server down. */

const secret = "the text of a private file";
const buildMail = (id: string, text: string): string =>
  `From a@b Thu Jan  4 10:00:00 2024\nFrom: a@b.c\nMessage-ID: <${id}@x>\nDate: Thu, 04 Jan 2024 10:00:00 +0000\nSubject: ${id}\n\n${text}\n\n`;
const mail = buildMail("good", "hello");
type Upload = Readonly<Record<string, string | Uint8Array>>;

const buildUploads = (): Readonly<Record<string, Upload>> => ({
  "names that lead out": { "../../../escaped.mbox": mail, "/escaped.mbox": mail, "..": mail, "a\u0000b\n.mbox": mail },
  "an archive that leads out": {
    "slip.zip": writeZip([
      { name: "../../escaped.mbox", content: mail },
      { name: "/escaped.mbox", content: mail },
      { name: "..\\..\\escaped.mbox", content: mail },
    ]),
  },
  "an archive of links": {
    "links.tgz": gzipSync(
      writeTar([
        { name: "link.mbox", type: "2", target: "/etc/passwd" },
        { name: "hard.mbox", type: "1", target: "/etc/passwd" },
        { name: "folder", type: "2", target: "/" },
        { name: "folder/escaped.mbox", content: mail },
        { name: "device.mbox", type: "3" },
      ]),
    ),
  },
  "an archive with a link": { "link.zip": writeZip([{ name: "link.mbox", content: "/etc/passwd", link: true }]) },
  "an archive that unpacks to 400 MB": {
    "bomb.zip": writeZip([{ name: "bomb.mbox", content: Buffer.alloc(400_000_000) }]),
  },
  "an archive that lies about its size": {
    "liar.zip": writeZip([{ name: "liar.mbox", content: Buffer.alloc(5_000_000), saidSize: 10 }]),
  },
  "an archive that is cut off": { "cut.zip": "PK\u0003\u0004 and no end" },
  "archives in archives": { "nested.zip": nest(12) },
});

function nest(depth: number): Buffer {
  let inner = writeZip([{ name: "mail.mbox", content: mail }]);
  for (let n = 0; n < depth; n += 1) inner = writeZip([{ name: `${n}.zip`, content: inner, store: true }]);
  return inner;
}

async function waitForStage(person: Person, url: string): Promise<VisitedPage> {
  for (;;) {
    const page = await person.open(url);
    if (page.status >= 400 || ["planned", "failed", "over"].includes(readStage(page))) return page;
    await wait(50);
  }
}

/** Answers what is asked, and waits until the import is over. */
async function finish(person: Person, page: VisitedPage): Promise<VisitedPage> {
  if (readStage(page) !== "planned" || !page.html.includes("/answer")) return page;
  return waitForStage(person, (await person.send(page, { time_zone: "UTC" })).url);
}

async function upload(
  server: Served,
  person: Person,
  files: Upload,
  csrfToken: string,
): Promise<{ status: number; page?: VisitedPage }> {
  const form = new FormData();
  form.append("csrf_token", csrfToken);
  for (const [name, content] of Object.entries(files)) form.append("files", new Blob([Buffer.from(content)]), name);
  const headers = { cookie: formatCookies(person), origin: server.url.origin };
  const sent = { method: "POST", headers, body: form, redirect: "manual" } as const;
  const answer = await fetch(new URL("/import/upload", server.url), sent).catch(() => undefined);
  // The server hangs up on a body that it will not read.
  if (answer === undefined) return { status: 0 };
  await answer.arrayBuffer();
  const to = answer.headers.get("location");
  return to === null
    ? { status: answer.status }
    : { status: answer.status, page: await waitForStage(person, new URL(to, server.url).href) };
}

const listUploads = ({ dataDir }: Target): string[] => {
  const folder = join(dataDir, "uploads");
  return existsSync(folder) ? readdirSync(folder) : [];
};

/** Uploads are deleted once an import is over, a moment after its page says so. */
async function hasNoUploads(target: Target): Promise<boolean> {
  for (let n = 0; n < 200 && listUploads(target).length > 0; n += 1) await wait(50);
  return listUploads(target).length === 0;
}

const readExport = (target: Target): Promise<string> =>
  asOwner(target, async (owner) => {
    let text = "";
    for await (const record of (await owner.reader()).export({})) text += JSON.stringify(record);
    return text;
  });

export const hostileUploads: Attack = {
  name: "uploading hostile files to the console",
  engines: ["sqlite", "postgres"],
  async run(target) {
    const server = await startServing(target);
    const trials = createTrials();
    const uploads = buildUploads();
    try {
      const owner = await signIn(server);
      const csrfToken = await loadCsrfToken(server, owner);
      trials.note("no CSRF token", [0, 403].includes((await upload(server, owner, { "a.mbox": mail }, "x")).status));
      for (const [name, files] of Object.entries(uploads)) {
        const { status, page } = await upload(server, owner, files, csrfToken);
        const ended = page === undefined ? undefined : await finish(owner, page);
        trials.note(`${name}: ${status}, ${ended?.status}`, status > 0 && status < 500 && (ended?.status ?? 0) < 500);
        trials.note(`${name} shows a path of the server`, ended?.html.includes(target.dataDir) !== true);
        if (ended !== undefined && readStage(ended) === "planned") await cancel(server, owner, ended);
        trials.note(`${name} left ${listUploads(target)}`, await hasNoUploads(target));
      }
      const isEscaped = [join(target.dataDir, ".."), "/", target.dataDir].some((folder) =>
        existsSync(join(folder, "escaped.mbox")),
      );
      trials.note("a file was written outside the uploads", !isEscaped);
      const good = await upload(server, owner, { "good.mbox": mail }, csrfToken);
      const ended = good.page === undefined ? undefined : await finish(owner, good.page);
      trials.note("an honest upload works afterwards", ended?.html.includes("Import report") === true);
    } finally {
      await server.stop();
    }
    const text = await readExport(target);
    trials.note("a system file was read", !text.includes(readFileSync("/etc/passwd", "utf8").slice(0, 20)));
    trials.note("the honest mail was stored", text.includes("hello"));
    return trials.conclude(`checks of ${Object.keys(uploads).length} uploads held`);
  },
};

async function cancel(server: Served, person: Person, page: VisitedPage): Promise<void> {
  const path = `${new URL(page.url).pathname}/cancel`;
  const body = new URLSearchParams({ csrf_token: await loadCsrfToken(server, person) });
  const headers = { cookie: formatCookies(person), origin: server.url.origin };
  await (await fetch(new URL(path, server.url), { method: "POST", headers, body, redirect: "manual" })).arrayBuffer();
}

export const linkedPaths: Attack = {
  name: "importing paths with links and devices",
  engines: ["sqlite"],
  async run(target) {
    const outside = join(target.dataDir, "outside");
    const folder = join(target.dataDir, "exports");
    for (const each of [outside, folder, join(folder, "deep")]) mkdirSync(each);
    writeFileSync(join(outside, "private.mbox"), buildMail("private", secret));
    writeFileSync(join(folder, "good.mbox"), mail);
    symlinkSync(join(outside, "private.mbox"), join(folder, "link.mbox"));
    symlinkSync(outside, join(folder, "deep", "folder"));
    symlinkSync("..", join(folder, "deep", "loop"));
    symlinkSync("/proc/self/environ", join(folder, "environ.mbox"));
    symlinkSync("gone", join(folder, "dangling.mbox"));
    symlinkSync(join(outside, "private.mbox"), join(target.dataDir, "direct.mbox"));
    execFileSync("mkfifo", [join(folder, "pipe.mbox")]);
    const server = await startServing(target);
    const trials = createTrials();
    try {
      const owner = await signIn(server);
      const send = async (path: string): Promise<VisitedPage> => {
        const begun = await owner.send(await owner.open(`${server.url.origin}/import`), { path }, "/import/path");
        return new URL(begun.url).pathname === "/import/path"
          ? begun
          : finish(owner, await waitForStage(owner, begun.url));
      };
      const paths = [
        join(target.dataDir, "direct.mbox"),
        "/dev/zero",
        "/proc/self/mem",
        "relative.mbox",
        `${folder}/good.mbox\0`,
        join(folder, "gone"),
        join(folder, "pipe.mbox"),
      ];
      for (const path of paths) {
        const page = await send(path);
        trials.note(`${path}: ${page.status}`, page.status < 500 && !page.html.includes("Import report"));
        if (readStage(page) === "planned") await cancel(server, owner, page);
      }
      const whole = await send(folder);
      trials.note("a folder with links is imported", whole.html.includes("Import report"));
      trials.note("the server runs", (await owner.open(`${server.url.origin}/settings`)).status === 200);
    } finally {
      await server.stop();
    }
    const text = await readExport(target);
    trials.note("a link was followed", !text.includes(secret) && text.includes("hello"));
    return trials.conclude("paths led nowhere but into the folder");
  },
};
