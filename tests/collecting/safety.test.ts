import { existsSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { getPriority, tmpdir } from "node:os";
import { join } from "node:path";
import type { JsonObject } from "@pdpp/contract/declaration";
import { createVault, type TestVault } from "@pdpp/test-support/vaults/new-vault";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import type { CollectRequest } from "#collecting/run/collect";
import { dumpEverything } from "../store/vault.ts";
import { createWorld, manifest, type World } from "./connector.ts";

const finish = "await done(); await leave();";
const networked: JsonObject = { ...manifest, runtime_requirements: { bindings: { network: { required: true } } } };
/** Stores as a record what a script finds out. */
const report = (expression: string): string => `
const attempt = async (work) => { try { return String(await work()); } catch (error) { return "refused " + (error.code ?? error.message); } };
await record("notes", "report", { body: JSON.stringify(await (async () => (${expression}))()) }); ${finish}`;

/** The temporary folders that this process has created and not removed. */
const listOwnFolders = (): string[] =>
  readdirSync(tmpdir()).filter((name) => name.startsWith("pdpp-import-") && name.includes(`-${process.pid}-`));

describe("a connector's process", () => {
  let vault: TestVault;
  let world: World;
  beforeAll(async () => {
    vault = await createVault("sqlite");
    world = await createWorld(vault);
  });
  afterAll(async () => {
    rmSync(world.folder, { recursive: true, force: true });
    await vault.drop();
  });
  const loadReport = async (script: string, options: Parameters<World["run"]>[1] = {}): Promise<unknown> => {
    const run = await world.run(report(script), options);
    expect(run.error).toBeUndefined();
    return JSON.parse(String((await world.list("notes")).find(({ id }) => id === "report")?.body));
  };

  it("[COL-8] has a minimal environment, and a temporary folder that is removed", async () => {
    vi.stubEnv("PDPP_OWNER_TOKEN", "canary-owner-token");
    vi.stubEnv("AWS_SECRET_ACCESS_KEY", "canary-other-secret");
    try {
      const found = await loadReport("[process.env, process.cwd(), process.argv.length]", {
        loadSecrets: async () => ({ SAMPLE_KEY: "hunter-2-canary" }),
      });
      const [env, folder] = found as [Record<string, string>, string];
      expect(Object.keys(env).sort()).toEqual([
        "HOME",
        "LANG",
        "PATH",
        "PDPP_CONNECTOR_ID",
        "PDPP_CONNECTOR_INSTANCE_ID",
        "PDPP_RUN_ID",
        "SAMPLE_KEY",
        "TMPDIR",
      ]);
      expect(env).toMatchObject({ HOME: folder, TMPDIR: folder, PDPP_CONNECTOR_INSTANCE_ID: "sample" });
      expect(existsSync(folder)).toBe(false);
    } finally {
      vi.unstubAllEnvs();
    }
  });

  it("[COL-105] lets the server go first", async () => {
    expect(await loadReport(`(await import("node:os")).getPriority()`)).toBe(Math.max(getPriority(), 5));
  });

  it("[COL-8] reads its code and what it was given, writes its temporary folder, and nothing else", async () => {
    const given = join(world.folder, "..", `pdpp-given-${process.pid}.txt`);
    writeFileSync(given, "given");
    try {
      const found = await loadReport(
        `await Promise.all([
        async () => (await import("node:fs")).readFileSync(process.env.SAMPLE_FILE, "utf8"),
        async () => (await import("node:fs")).readFileSync("/etc/passwd", "utf8"),
        async () => (await import("node:fs")).readFileSync(${JSON.stringify(join(vault.dataDir, "vault.db"))}),
        async () => (await import("node:fs")).writeFileSync(process.env.SAMPLE_FILE, "changed"),
        async () => (await import("node:fs")).writeFileSync(process.env.TMPDIR + "/x", "y"),
        async () => (await import("node:fs")).symlinkSync("/etc/passwd", process.env.TMPDIR + "/link"),
        async () => (await import("node:child_process")).spawnSync("true").error ?? "started",
        async () => new (await import("node:worker_threads")).Worker("", { eval: true }),
        async () => (await fetch("http://127.0.0.1:9/")).status,
        async () => Object.keys(await import("node:sqlite")),
      ].map(attempt))`,
        { paths: { SAMPLE_FILE: given } },
      );
      const denied = "refused ERR_ACCESS_DENIED";
      expect(found).toEqual([
        "given",
        denied,
        denied,
        denied,
        "undefined",
        denied,
        denied,
        denied,
        expect.stringMatching(/^refused/),
        expect.stringMatching(/^refused/),
      ]);
    } finally {
      rmSync(given);
    }
  });

  const uploads = `await (async () => {
    const put = async (path, token, method = "POST") => {
      const response = await fetch(process.env.PDPP_RS_URL + path, { method, headers: { authorization: "Bearer " + token, "content-type": "text/plain" }, body: method === "GET" ? undefined : "bytes of a file" });
      return [response.status, await response.json()];
    };
    const token = process.env.PDPP_OWNER_TOKEN;
    return [
      await put("/v1/blobs?connector_instance_id=sample&stream=notes&mime_type=text/plain", token),
      await put("/v1/blobs?connector_instance_id=other", token),
      await put("/v1/blobs", "wrong"),
      await put("/v1/streams", token, "GET"),
      await put("/v1/ingest/notes", token),
    ].map(([status, { object, sha256, error }]) => [status, object ?? error.code, typeof sha256]);
  })()`;

  it("[COL-9] may add files to its connection during the run, and do nothing else with its token", async () => {
    expect(await loadReport(uploads, { manifest: networked })).toEqual([
      [201, "blob", "string"],
      [403, "permission_error", "undefined"],
      [401, "authentication_error", "undefined"],
      [403, "permission_error", "undefined"],
      [403, "permission_error", "undefined"],
    ]);
    const limited = `(await fetch(process.env.PDPP_RS_URL + "/v1/blobs", { method: "POST", headers: { authorization: "Bearer " + process.env.PDPP_OWNER_TOKEN }, body: "more than eight" })).status`;
    expect(
      await loadReport(`attempt(async () => ${limited})`, { manifest: networked, limits: { blobBytes: 8 } }),
    ).not.toBe("201");
    expect(await loadReport("process.env.PDPP_RS_URL ?? null")).toBeNull();
  });

  it("[COL-10] cannot put a secret into what is shown or stored about a run", async () => {
    const secret = 'hunter-2 "canary" &';
    const shown: string[] = [];
    const script = `
const secret = process.env.SAMPLE_KEY;
await say({ type: "PROGRESS", message: "with " + secret + " and " + encodeURIComponent(secret) });
await say({ type: "INTERACTION", request_id: "i", kind: "otp", message: "Code?" });
const { data: { code } } = await reply();
await say({ type: "PROGRESS", message: "code " + code });
await say({ type: "SKIP_RESULT", stream: "notes", reason: secret, message: "code " + code });
process.stderr.write(secret);
await done("failed", { error: { message: JSON.stringify({ secret }) + Buffer.from(secret).toString("base64"), retryable: false } });
await leave(1);
`;
    const run = await world.run(script, {
      loadSecrets: async () => ({ SAMPLE_KEY: secret }),
      interact: async () => ({ status: "success", data: { code: "998877-canary" } }),
      onProgress: ({ message }) => shown.push(message),
    });
    const crashed = await world.run(`throw new Error("no " + process.env.SAMPLE_KEY);`, {
      loadSecrets: async () => ({ SAMPLE_KEY: secret }),
    });
    expect(run).toMatchObject({ status: "failed", error: { message: '{"secret":"[secret]"}[secret]==' } });
    expect(crashed).toMatchObject({ status: "failed", error: { message: expect.stringContaining("no [secret]") } });
    expect(shown).toEqual(["with [secret] and [secret]", "code [secret]"]);
    const everything = `${await dumpEverything(vault)}${JSON.stringify([run, crashed])}`;
    expect(everything).not.toContain('canary" &');
    expect(everything).not.toContain("998877-canary");
    expect(everything).toContain("[secret]");
  });

  const greedy: [what: string, script: string, limits: CollectRequest["limits"], message: RegExp][] = [
    [
      "a line without an end",
      'for (;;) await raw("x".repeat(65536));',
      { lineBytes: 1_000_000 },
      /line of more than 1000000 bytes/,
    ],
    [
      "endless output",
      "for (let n = 0; ; n += 1) await record('notes', 'same', { count: n });",
      { outputBytes: 200_000 },
      /more than 200000 bytes/,
    ],
    [
      "memory in buffers",
      "const held = []; for (;;) { held.push(Buffer.alloc(8e6, 1)); await say({ type: 'PROGRESS', message: 'more' }); }",
      { memoryBytes: 300e6 },
      /bytes of memory/,
    ],
    [
      "memory in the heap",
      "const held = []; for (;;) held.push(new Array(1e5).fill(Math.random()));",
      { heapMegabytes: 64 },
      /without DONE|bytes of memory/,
    ],
    [
      "temporary files",
      "const { writeFileSync } = await import('node:fs'); for (let n = 0; ; n += 1) { writeFileSync(process.env.TMPDIR + '/' + (n % 50), Buffer.alloc(1e6)); await say({ type: 'PROGRESS', message: 'more' }); }",
      { diskBytes: 20e6 },
      /temporary files/,
    ],
    [
      "many temporary files",
      "const { writeFileSync } = await import('node:fs'); for (let n = 0; n < 2500; n += 1) writeFileSync(process.env.TMPDIR + '/' + n, ''); await reply();",
      {},
      /temporary files/,
    ],
    ["silence", "await reply();", { silenceMs: 500 }, /sent nothing for/],
    ["a busy loop", "for (;;);", { silenceMs: 500 }, /sent nothing for/],
    ["time", "for (;;) await say({ type: 'PROGRESS', message: 'still' });", { totalMs: 1500 }, /ran for more than/],
  ];
  it.each(greedy)("[COL-11] is ended if it uses too much: %s", async (_, script, limits = {}, message) => {
    const before = listOwnFolders();
    const run = await world.run(`await state("notes", 1); ${script}`, { limits });
    expect(run).toMatchObject({ status: "failed", error: { message: expect.stringMatching(message) } });
    expect((await world.owner.sources.get("sample")).status).toBe("active");
    expect(listOwnFolders()).toEqual(before);
  });

  it("[COL-11] has done its work if it does not end after DONE", async () => {
    const run = await world.run("await state('tasks', 7); await done(); setInterval(() => undefined, 1000);", {
      limits: { exitMs: 300 },
    });
    expect(run.status).toBe("succeeded");
    const next = await world.owner.sources.beginRun("sample", { mode: "incremental", version: "1" });
    expect(next.state).toEqual({ tasks: 7 });
    await world.owner.sources.finishRun(next.run_id, { status: "succeeded", cursors: {}, report: {} });
  });

  it("[COL-12] is cancelled by the owner, and asks in vain after the time it set", async () => {
    const stop = new AbortController();
    const run = await world.run(
      `await state("notes", 9); await say({ type: "PROGRESS", message: "go" }); await reply();`,
      {
        signal: stop.signal,
        onProgress: () => stop.abort(),
      },
    );
    expect(run.status).toBe("cancelled");
    const ask = `await say({ type: "INTERACTION", request_id: "i", kind: "otp", message: "Code?", timeout_seconds: 0.2 }); const answer = await reply();`;
    expect(
      await loadReport(`(async () => { ${ask} return answer; })()`, { interact: () => new Promise(() => undefined) }),
    ).toEqual({ type: "INTERACTION_RESPONSE", request_id: "i", status: "timeout" });
    const declined = `await say({ type: "INTERACTION", request_id: "i", kind: "credentials", message: "Token?" }); const { status } = await reply(); await done("failed", { error: { message: status, retryable: false } }); await done("failed"); await leave(1);`;
    expect(await world.run(declined, { interact: async () => ({ status: "cancelled" }) })).toMatchObject({
      status: "failed",
      error: { code: "failed", message: "cancelled" },
    });
  });
});
