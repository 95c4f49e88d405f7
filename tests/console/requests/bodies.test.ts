import { operations } from "@pdpp/contract/operations";
import { createVault, surfaceEngines, type TestVault } from "@pdpp/test-support/vaults/new-vault";
import { createSample } from "@pdpp/test-support/vaults/sample";
import { createPerson } from "@pdpp/test-support/web/person";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createApp } from "#server/app";
import { createSignInCode } from "#server/auth/sessions";
import { longerBodies } from "#server/body-limits";

const site = "http://localhost:7663";
const kib = 1024;
const chunk = new Uint8Array(16 * kib).fill(97);
/** Longer than any form; read whole, it would show. */
const offeredBytes = 8 * kib * kib;
/** The largest limit of a form, and what streams hold on the way. */
const maxReadBytes = 1024 * kib + 8 * chunk.byteLength;

/** A body that says how much of it was read. */
function createEndlessBody(): { readonly body: ReadableStream<Uint8Array>; readonly taken: () => number } {
  let taken = 0;
  const body = new ReadableStream<Uint8Array>(
    {
      pull(controller) {
        taken += chunk.byteLength;
        controller.enqueue(chunk);
        if (taken >= offeredBytes) controller.close();
      },
    },
    { highWaterMark: 0 },
  );
  return { body, taken: () => taken };
}

describe.each(surfaceEngines)("request bodies, on %s", (engine) => {
  let vault: TestVault;
  let fetch: (request: Request) => Promise<Response>;
  let cookie: string;
  let csrfToken: string;
  let ownerToken: string;
  let state: { readonly method: string; readonly path: string }[];
  const bugs: unknown[] = [];
  beforeAll(async () => {
    vault = await createVault(engine);
    const world = await createSample(vault);
    ownerToken = world.ownerToken;
    const app = createApp({ store: vault.store, onBug: (bug) => bugs.push(bug) });
    fetch = async (request) => app.fetch(request);
    const person = createPerson(fetch, () => false);
    const code = await createSignInCode(vault.store, 1, Date.now());
    await person.send(await person.open(`${site}/sign-in`), { code });
    cookie = [...person.cookies].map(([name, value]) => `${name}=${value}`).join("; ");
    csrfToken = /name="csrf_token" value="([^"]+)"/.exec((await person.open(`${site}/settings`)).html)?.[1] ?? "";
    const contracted = Object.values(operations).map(({ method, path }) => ({
      method,
      path: path.replace(/\{(\w+)\}/g, ":$1"),
    }));
    state = [...app.routes, ...contracted]
      .filter(({ method, path }) => method !== "GET" && !path.endsWith("/*"))
      .map(({ method, path }) => ({ method: method === "ALL" ? "POST" : method, path: path.replace(/:\w+/g, "x") }));
  });
  afterAll(() => vault.drop());

  const types = ["application/x-www-form-urlencoded", "application/json", "multipart/form-data; boundary=x"];
  const isOwnLimit = (path: string) => longerBodies.some((each) => each.maxBytes > 1024 * kib && each.path.test(path));

  it("[WEB-1] leaves only ingest, blobs and uploads to limits of their own", () => {
    const own = state.map(({ path }) => path).filter(isOwnLimit);
    expect(own.sort()).toEqual(["/import/upload", "/v1/blobs", "/v1/ingest/x"]);
    expect(state.length).toBeGreaterThan(40);
  });

  it.each(["with its length", "without its length"])("[WEB-1] reads no body over the limit, %s", async (how) => {
    const callers: Record<string, string>[] = [{}, { cookie }, { authorization: `Bearer ${ownerToken}` }];
    for (const { method, path } of state.filter((route) => !isOwnLimit(route.path)))
      for (const caller of callers)
        for (const type of types) {
          const { body, taken } = createEndlessBody();
          const length: Record<string, string> =
            how === "with its length" ? { "content-length": `${offeredBytes}` } : {};
          const headers = { "content-type": type, accept: "text/html", ...caller, ...length };
          const answer = await fetch(new Request(`${site}${path}`, { method, headers, body, duplex: "half" }));
          const seen = `${method} ${path} ${type} ${Object.keys(caller)}: ${answer.status}`;
          expect(taken(), seen).toBeLessThanOrEqual(how === "with its length" ? chunk.byteLength : maxReadBytes);
          expect([303, 400, 401, 403, 404, 405, 410, 413, 204], seen).toContain(answer.status);
          if (how === "with its length") expect(answer.status, seen).toBe(413);
        }
    expect(bugs).toEqual([]);
  });

  it("[WEB-1] answers 413 with a page for people", async () => {
    const body = new URLSearchParams({ code: "x".repeat(70 * kib) });
    const headers = { accept: "text/html", origin: site };
    const answer = await fetch(new Request(`${site}/sign-in`, { method: "POST", headers, body }));
    expect([answer.status, answer.headers.get("connection")]).toEqual([413, "close"]);
    expect(await answer.text()).toContain("larger than 64 KiB");
  });

  it("[WEB-2] answers malformed forms with 400", async () => {
    const part = `--x\r\ncontent-disposition: form-data; name="csrf_token"\r\n\r\n${csrfToken}\r\n`;
    const malformed: readonly (readonly [type: string | undefined, body: string])[] = [
      [undefined, ""],
      ["text/plain", "csrf_token=1"],
      ["application/json", "{"],
      ["multipart/form-data", part],
      ["multipart/form-data; boundary=x", part],
      ["multipart/form-data; boundary=x", "--x\r\n\r\n"],
      ["application/x-www-form-urlencoded", "%%%=%zz&&&=&\u0000"],
    ];
    for (const { path } of state.filter(({ method, path }) => method === "POST" && !path.startsWith("/v1/")))
      for (const [type, body] of malformed) {
        const headers = {
          cookie,
          accept: "text/html",
          origin: site,
          ...(type === undefined ? {} : { "content-type": type }),
        };
        const answer = await fetch(new Request(`${site}${path}`, { method: "POST", headers, body: Buffer.from(body) }));
        const text = await answer.text();
        const seen = `${path} ${type} ${JSON.stringify(body)}: ${answer.status}`;
        expect([303, 400, 401, 403, 404, 410, 429], seen).toContain(answer.status);
        expect(text, seen).not.toMatch(/TypeError|at \w+ \(|node_modules/);
      }
    expect(bugs).toEqual([]);
  });

  it("[WEB-2] answers fields of an unexpected kind with a refusal", async () => {
    const names = [
      "before",
      "zone",
      "id",
      "name",
      "sentence",
      "path",
      "answer",
      "identity",
      "other",
      "decision",
      "act",
      "days",
      "until",
      "account",
      "part",
      "target",
      "from",
      "next",
      "code",
      "passphrase",
      "again",
    ];
    const values = ["\u0000", "\ud800", "x".repeat(5000), "-1", "__proto__", "‮", "9".repeat(40), "2026-99-99", "1e309"];
    const isHarmless = ({ method, path }: { method: string; path: string }) =>
      method === "POST" && !/^\/(v1|sign-out|browsers|mcp)/.test(path) && !isOwnLimit(path);
    for (const { path } of state.filter(isHarmless)) {
      const forms = [...values.map((value) => (form: FormData) => names.map((name) => form.set(name, value)))];
      forms.push((form) => names.map((name) => form.set(name, new File(["x"], "x.txt"))));
      for (const fill of forms) {
        const form = new FormData();
        form.set("csrf_token", csrfToken);
        fill(form);
        const headers = { cookie, accept: "text/html", origin: site };
        const answer = await fetch(new Request(`${site}${path}`, { method: "POST", headers, body: form }));
        // A second backup waits for the first.
        if (answer.status !== 503) expect(answer.status, path).toBeLessThan(500);
        await answer.body?.cancel();
      }
    }
    expect(bugs).toEqual([]);
  });
});
