import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createVault, type EngineName, surfaceEngines, type TestVault } from "@pdpp/test-support/vaults/new-vault";
import { createRandom } from "@pdpp/test-support/vitest/random";
import {
  buildFormRequest,
  buildHeaders,
  type ImportPage,
  openImportPage,
  readCsrfToken,
  readStage,
} from "@pdpp/test-support/web/import-page";
import { site } from "@pdpp/test-support/web/owner-pages";
import type { VisitedPage } from "@pdpp/test-support/web/person";
import { afterEach, describe, expect, it, vi } from "vitest";
import type { ImportServiceLimits } from "#importing/service/import-service";
import { createSignInCode } from "#server/auth/sessions";
import { createOwner } from "#server/owner/owner";
import { addOwner } from "#server/owner/owners";
import { writeZip } from "../importers/archives/zip-writer.ts";
import { whatsappGenerator } from "../importers/generators/messages/whatsapp.ts";

const chat = "13/01/2024, 10:00 - Ada: boiler\n13/01/2024, 10:01 - Ben: which one?";
const chatName = "WhatsApp Chat with Ada.txt";

let vault: TestVault;
let room: ImportPage;
const openRoom = async (
  options: { limits?: Partial<ImportServiceLimits>; ownDisk?: boolean } = {},
  engine: EngineName = "sqlite",
): Promise<void> => {
  vault = await createVault(engine);
  room = await openImportPage(vault, options);
};
afterEach(async () => {
  vi.restoreAllMocks();
  await room.close();
  await vault.drop();
});

const uploads = (): string[] => {
  const folder = join(vault.dataDir, "uploads");
  return existsSync(folder) ? readdirSync(folder) : [];
};
const parsePath = ({ url }: VisitedPage): string => new URL(url).pathname;
const countRecords = async (): Promise<number> => {
  const held = await createOwner({ store: vault.store, ownerNo: 1, now: Date.now }).connections.list();
  return held.reduce((sum, { record_count }) => sum + record_count, 0);
};
/** Processes that import into this vault; only they unpack next to it. */
const listProcesses = (): number[] =>
  readdirSync("/proc")
    .map(Number)
    .filter((pid) => {
      try {
        return pid > 0 && readFileSync(`/proc/${pid}/environ`, "utf8").includes(`TMPDIR=${vault.dataDir}/`);
      } catch {
        return false;
      }
    });
const signalProcesses = (name: NodeJS.Signals): void => listProcesses().forEach((pid) => void process.kill(pid, name));
const buildLongChat = (bytes: number): Record<string, string> => {
  const { path, pieces } = whatsappGenerator.endless?.(createRandom(5), bytes) ?? { path: "", pieces: () => [] };
  return { [path]: [...pieces()].join("") };
};

describe("[CSL-32] an upload", () => {
  it("needs the session's CSRF token before any byte of a file", async () => {
    await openRoom();
    expect((await room.drop({ [chatName]: chat }, room.owner, "x")).status).toBe(403);
    const csrfToken = readCsrfToken(await room.owner.open(`${site}/import`));
    const late = new FormData();
    late.append("files", new Blob([chat]), chatName);
    late.append("csrf_token", csrfToken);
    const send = (body: string | ReadableStream<Uint8Array>, type: string) => {
      const headers = { ...buildHeaders(room.owner), "content-type": type };
      const streamed = typeof body === "string" ? {} : { duplex: "half" as const };
      return room.on.fetch(new Request(`${site}/import/upload`, { method: "POST", headers, body, ...streamed }));
    };
    const type = "multipart/form-data; boundary=b";
    expect((await room.on.fetch(await buildFormRequest(room.owner, late))).status).toBe(403);
    expect((await send("csrf_token=x", "multipart/form-data")).status).toBe(403);
    expect((await send("no form", type)).status).toBe(400);
    // Rejected while the endless upload is still running.
    let sent = 0;
    const endless = new ReadableStream<Uint8Array>({
      pull(controller) {
        sent += 1;
        controller.enqueue(
          Buffer.from(
            sent === 1 ? '--b\r\ncontent-disposition: form-data; name="f"; filename="f"\r\n\r\n' : "x".repeat(65_536),
          ),
        );
      },
    });
    expect((await send(endless, type)).status).toBe(403);
    expect(sent).toBeLessThan(20);
    // An aborted upload leaves nothing behind, and another can start.
    const broken = new ReadableStream<Uint8Array>({
      start(controller) {
        const field = `--b\r\ncontent-disposition: form-data; name="csrf_token"\r\n\r\n${csrfToken}\r\n`;
        controller.enqueue(
          Buffer.from(`${field}--b\r\ncontent-disposition: form-data; name="files"; filename="a.txt"\r\n\r\nhalf`),
        );
        setTimeout(() => controller.error(new Error("gone")), 50);
      },
    });
    expect((await send(broken, type)).status).toBe(400);
    expect(uploads()).toEqual([]);
    await room.until(await room.drop({ [chatName]: chat }), "planned");
  });

  it("is limited in bytes, files, and by free disk space", async () => {
    await openRoom({ limits: { maxBytes: 10_000, maxFiles: 2 } });
    const large = await room.drop({ "a.txt": "x".repeat(6000), "b.txt": "x".repeat(6000) });
    expect([large.status, large.html]).toEqual([413, expect.stringContaining("Uploads are limited to")]);
    expect((await room.drop({ a: "1", b: "2", c: "3" })).html).toContain("Uploads are limited to 2 files");
    expect((await room.drop({})).html).toContain("No files received");
    expect(uploads()).toEqual([]);
    await room.close();
    await vault.drop();
    await openRoom({ limits: { reservedBytes: 1000, getFreeBytes: async () => 5000 } });
    const full = await room.drop({ "a.txt": "x".repeat(6000) });
    expect([full.status, full.html]).toEqual([
      413,
      expect.stringContaining("Not enough space on the server&#39;s disk"),
    ]);
    expect(uploads()).toEqual([]);
  });

  it("may contain files with any name, and ignores files without one", async () => {
    await openRoom();
    const names = [
      "../../etc/passwd",
      "..",
      "/",
      "a\u0000b\n.txt",
      "\u202egpj.exe",
      `${"ä".repeat(400)}.txt`,
      "con.txt",
      "con.txt",
    ];
    const form = new FormData();
    form.append("csrf_token", readCsrfToken(await room.owner.open(`${site}/import`)));
    for (const name of names) form.append("files", new Blob(["what is this"]), name);
    const answer = await room.on.fetch(await buildFormRequest(room.owner, form));
    const to = await room.owner.open(new URL(answer.headers.get("location") ?? "", site).href);
    const planned = await room.until(to, "planned");
    expect(planned.html).toContain("Nothing here can be imported");
    expect(planned.html).toContain("6 unrecognized files");
    for (const kept of ["passwd", "con.txt", "con (2).txt"]) expect(planned.html).toContain(kept);
    expect(planned.html).not.toContain("etc/passwd");
    expect(readdirSync(vault.dataDir)).not.toContain("passwd");
    // An empty plan ends at once, and its files are deleted.
    await expect.poll(uploads).toEqual([]);
  });
});

describe("[CSL-31] malicious files", () => {
  it("are rejected with a message, and nothing is written: a fake archive, a truncated one, a bomb", async () => {
    await openRoom();
    const cut = await room.until(await room.drop({ "cut.zip": "PK\u0003\u0004 and no end" }), "failed");
    expect(cut.html).toMatch(/incomplete/);
    expect(cut.html).not.toContain(vault.dataDir);
    const none = await room.until(await room.drop({ "a.zip": "no archive at all" }), "planned");
    expect(none.html).toContain("Nothing here can be imported");
    const bomb = new Uint8Array(writeZip([{ name: "bomb.txt", content: Buffer.alloc(280_000_000) }]));
    const refused = await room.until(await room.drop({ "bomb.zip": bomb }), ["planned", "failed"]);
    expect(refused.html).toMatch(/grow beyond all measure|bomb/);
    expect(await countRecords()).toBe(0);
  });

  it("that need too much memory crash only their own process", async () => {
    await openRoom({ limits: { heapMb: 12 } });
    const failed = await room.until(await room.drop({ [chatName]: chat }), "failed");
    expect(failed.html).toContain("ran out of memory");
    expect((await room.owner.open(`${site}/`)).status).toBe(200);
    await expect.poll(uploads).toEqual([]);
  });

  it("that stop responding, or wait forever, are stopped", async () => {
    await openRoom({ limits: { silentMs: 15_000 } });
    const planned = await room.until(await room.drop({ [chatName]: chat }), "planned");
    signalProcesses("SIGSTOP");
    expect((await room.until(planned, "failed")).html).toContain("stopped responding");
    await expect.poll(uploads).toEqual([]);
    await room.close();
    await vault.drop();
    await openRoom({ limits: { waitMs: 100 } });
    const left = await room.until(await room.drop({ [chatName]: chat }), "failed");
    expect(left.html).toContain("not confirmed in time");
  });

  it("are not stopped because the clock is set forward", async () => {
    await openRoom();
    const planned = await room.until(await room.drop({ [chatName]: chat }), "planned");
    const [realNow, began] = [Date.now, performance.now()];
    // An hour passes in the three seconds in which the run is looked at six times.
    vi.spyOn(Date, "now").mockImplementation(() => realNow() + 1200 * (performance.now() - began));
    await new Promise((resolve) => setTimeout(resolve, 3000));
    expect(readStage(await room.owner.open(planned.url))).toBe("planned");
  });

  it.each(surfaceEngines)(
    "[CSL-34] an import that is killed says so, and the same files continue it, on %s",
    async (engine) => {
      await openRoom({}, engine);
      const files = buildLongChat(1_500_000);
      const given = { time_zone: "Europe/Berlin", date_order: "dmy", "label whatsapp": "Phone" };
      const planned = await room.until(await room.drop(files), "planned");
      const wanted = Number(/Import ([\d,]+) records/.exec(planned.html)?.[1]?.replaceAll(",", ""));
      await room.owner.send(planned, given);
      await expect.poll(countRecords, { interval: 20 }).toBeGreaterThan(0);
      signalProcesses("SIGKILL");
      const failed = await room.until(planned, "failed");
      expect(failed.html).toContain("exited before it was done");
      expect(failed.html).toContain("To continue, import the same files again");
      const some = await countRecords();
      expect(some).toBeLessThan(wanted);
      const again = await room.until(await room.drop(files), "planned");
      const done = await room.until(
        await room.owner.send(again, { time_zone: "Europe/Berlin", date_order: "dmy" }),
        "over",
      );
      expect(await countRecords()).toBe(wanted);
      // It continues the first import.
      expect(parsePath(done)).toBe(parsePath(planned));
    },
  );
});

describe("[CSL-33] a path on the server", () => {
  const sendPath = (path: string) => room.owner.open(`${site}/import`).then((page) => room.owner.send(page, { path }));

  it("can be imported by the only owner on the same computer", async () => {
    await openRoom();
    const folder = join(vault.dataDir, "exports");
    mkdirSync(folder);
    writeFileSync(join(folder, chatName), chat);
    const planned = await room.until(await sendPath(join(folder, chatName)), "planned");
    const done = await room.until(await room.owner.send(planned, { time_zone: "UTC" }), "over");
    expect([done.html.includes("Import report"), await countRecords()]).toEqual([true, 3]);
    expect(readdirSync(folder)).toEqual([chatName]);
    for (const [path, words] of [
      ["exports/a.txt", "Use an absolute path"],
      [join(folder, "none.txt"), "does not exist on the server"],
    ] as const)
      expect((await sendPath(path)).html).toContain(words);
    const special = await room.until(await sendPath("/dev/zero"), "failed");
    expect(special.html).toContain("is neither a file nor a folder");
  });

  it("can't be imported remotely, nor when several owners share the vault", async () => {
    await openRoom({ ownDisk: false });
    const page = await room.owner.open(`${site}/import`);
    expect(page.html).toContain("--import-paths");
    expect(page.html).not.toContain('name="path"');
    const sendForced = async (path = "/etc/passwd") => {
      const at = await room.owner.open(`${site}/browsers`);
      return room.owner.send(
        { ...at, html: at.html.replaceAll("/browsers/", "/x/").replace("/sign-out", "/import/path") },
        { path },
        "/import/path",
      );
    };
    expect(await sendForced()).toMatchObject({
      status: 403,
      html: expect.stringContaining("accepts remote connections"),
    });
    await room.close();
    await vault.drop();
    await openRoom();
    await addOwner(vault.store, "ben", Date.now());
    for (const path of ["/etc/passwd", "/no/such/file"])
      expect([path, await sendForced(path)]).toMatchObject([
        path,
        { status: 403, html: expect.stringContaining("This vault has several owners") },
      ]);
    expect((await room.owner.open(`${site}/import`)).html).not.toContain('name="path"');
  });
});

describe("[CSL-34] one import at a time", () => {
  it("per owner; others can't see, answer or stop it", async () => {
    await openRoom();
    await addOwner(vault.store, "ben", Date.now());
    const ben = await room.signIn(await createSignInCode(vault.store, 2, Date.now()));
    const planned = await room.until(await room.drop({ [chatName]: chat }), "planned");
    expect((await room.owner.open(`${site}/import`)).html).toContain("An import is waiting for your review");
    const second = await room.drop({ [chatName]: chat });
    expect([second.status, second.html]).toEqual([429, expect.stringContaining("already have an import running")]);
    expect(await ben.open(planned.url)).toMatchObject({ status: 404 });
    const own = await ben.open(`${site}/import`);
    expect(own.html).not.toContain("An import is");
    for (const act of ["answer", "cancel"]) {
      const forged = { ...own, html: own.html.replace("/import/upload", `${parsePath(planned)}/${act}`) };
      await ben.send(forged, { time_zone: "UTC" }, `${parsePath(planned)}/${act}`);
      expect(readStage(await room.owner.open(planned.url))).toBe("planned");
    }
    // Ben's own import runs at the same time, into Ben's data.
    const theirs = await room.drop({ "WhatsApp Chat with Cem.txt": chat }, ben);
    const answered = await ben.send(await room.until(theirs, "planned", ben), { time_zone: "UTC" });
    const at = await room.until(answered, "over", ben);
    expect(at.html).toContain("Import report");
    expect(await countRecords()).toBe(0);
    expect((await room.owner.open(at.url)).status).toBe(404);
  });

  it("stops with the server, and leftovers of a killed server are removed at the next start", async () => {
    await openRoom();
    await room.until(await room.drop({ [chatName]: chat }), "planned");
    expect([uploads().length, listProcesses().length]).toEqual([1, 1]);
    await room.close();
    await expect.poll(listProcesses).toEqual([]);
    expect(uploads()).toEqual([]);
    const left = ["999999999-aa", `${process.ppid}-bb`];
    for (const each of left) mkdirSync(join(vault.dataDir, "uploads", each));
    room = await openImportPage(vault);
    expect(uploads()).toEqual([left[1]]);
  });
});
