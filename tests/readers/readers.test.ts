import { createReaders } from "@pdpp/client/any-server";
import { createClient } from "@pdpp/contract/client";
import type { ReadApi } from "@pdpp/contract/operations";
import { listen } from "@pdpp/test-support/mcp/clients";
import { createVault, engineNames, type TestVault } from "@pdpp/test-support/vaults/new-vault";
import { now, origin } from "@pdpp/test-support/vaults/sample";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { measureToolResult as measure } from "#mcp/layout/measure";
import { createApp } from "#server/app";
import { authenticate, loadOwnerScope } from "#server/auth/authenticate";
import { issueGrant } from "#server/auth/issue";
import { createCallReader } from "#server/http/mcp";
import { startCall } from "#server/http/request/call";
import { createPipeline } from "#server/http/request/pipeline";
import { createOwnerReader } from "#server/http/threads/owner-reader";
import { createReadingThreads, type ReadingThreads } from "#server/http/threads/reading-threads";
import { createReader } from "#server/read/reader";
import { calls, cases, getOutcome } from "./cases.ts";
import { createLibrary, everything, type Library } from "./world.ts";

interface World {
  readonly vault: TestVault;
  readonly library: Library;
  readonly threads: ReadingThreads;
  readonly url: string;
  readonly token: string;
}

interface Implementation {
  readonly name: string;
  open(world: World, signal?: AbortSignal): Promise<ReadApi>;
  /** Whether a caller can disconnect before the response. */
  readonly canAbort: boolean;
}

const fetchUntil =
  (signal: AbortSignal | undefined): typeof fetch =>
  (input, init) =>
    fetch(input, { ...init, ...(signal === undefined ? {} : { signal }) });

const pagesUrl = "http://localhost:7663";
const loadScope = ({ vault, token }: World) => authenticate(vault.store, token, now);
const inProcess: Implementation = {
  name: "the reader in process",
  open: async (world) =>
    createReader({ store: world.vault.store, scope: await loadScope(world), now: () => now, pagesUrl, measure }),
  canAbort: false,
};
const ownerPages: Implementation = {
  name: "the reader of the owner's pages",
  open: ({ vault: { store }, threads }) => createOwnerReader({ store, threads, now: () => now, pagesUrl }, 1),
  canAbort: false,
};
const client: Implementation = {
  name: "the HTTP client",
  open: async ({ url, token }, signal) => createClient({ url, token, fetch: fetchUntil(signal) }),
  canAbort: true,
};
const hosted: Implementation = {
  name: "the reader of hosted MCP",
  async open({ vault: { store }, threads, token }, signal) {
    const onBug = (error: unknown) => {
      throw error;
    };
    const pipeline = createPipeline({
      store,
      threads,
      now: () => now,
      clientQueries: true,
      onBug,
      pagesUrl: () => pagesUrl,
    });
    const headers = { authorization: `Bearer ${token}` };
    const request = new Request(origin, { headers, ...(signal === undefined ? {} : { signal }) });
    const session = await pipeline.admit(request, "req_suite", { metadata: "/", operation: "mcp" });
    return createCallReader(startCall(session));
  },
  canAbort: true,
};
const anyServer: Implementation = {
  name: "the reader of any server",
  open: async ({ url, token }, signal) => createReaders({ url, token, fetch: fetchUntil(signal), measure })(),
  canAbort: true,
};
/** Our server, reduced to the public protocol. */
const publicServer: Implementation = {
  name: "the reader of any server, over public parameters alone",
  open: async ({ url, token }, signal) => {
    const send = fetchUntil(signal);
    const plain: typeof fetch = async (input, init) =>
      String(input).includes("/.well-known/") ? Response.json({ resource: url }) : send(input, init);
    return createReaders({ url, token, fetch: plain, measure })();
  },
  canAbort: true,
};

const implementations = [inProcess, client, hosted, ownerPages, anyServer, publicServer];

describe.each(engineNames)("readers on %s", (engine) => {
  let world: World;
  let close: () => Promise<void>;
  beforeAll(async () => {
    const vault = await createVault(engine);
    const { dataDir, databaseUrl, store } = vault;
    const threads = createReadingThreads({
      dataDir,
      secret: store.secret,
      ...(databaseUrl === undefined ? {} : { databaseUrl }),
    });
    const app = createApp({ store, threads, now: () => now });
    const server = await listen(app.fetch);
    const stored = await createLibrary(vault);
    const { token } = await issueGrant(store, 1, everything, now);
    world = { vault, threads, url: server.url, token, library: stored };
    close = async () => {
      await server.close();
      await threads.close();
      await vault.drop();
    };
  });
  afterAll(() => close());

  describe.each(implementations)("$name", (implementation) => {
    it.each(cases)("[BIG-15] $title", async ({ check }) => {
      await check(await implementation.open(world), world.library);
    });
  });

  describe.each(implementations.filter(({ canAbort }) => canAbort))("$name", ({ open }) => {
    it("[BIG-16] stops when the caller disconnects, and answers the next one", async () => {
      const gone = new AbortController();
      const left = await open(world, gone.signal);
      const reads = [0, 1, 2, 3].map(() => left.aggregate({ stream: "papers", metric: "count" }));
      gone.abort(new Error("gone"));
      for (const outcome of await Promise.allSettled(reads)) expect(outcome.status).toBe("rejected");
      const next = await open(world);
      expect((await next.aggregate({ stream: "papers", metric: "count" })).value).toBe(30);
    });
  });

  describe.each([client, hosted, ownerPages, anyServer])("$name", (implementation) => {
    it.each(Object.entries(calls))("[BIG-15] answers like the in-process reader: %s", async (_, call) => {
      const isOwner = implementation === ownerPages;
      const { store } = world.vault;
      const scope = isOwner ? await loadOwnerScope(store, 1) : await loadScope(world);
      const expected = await getOutcome(call(createReader({ store, scope, now: () => now, pagesUrl, measure })));
      expect(await getOutcome(call(await implementation.open(world)))).toEqual(expected);
    });
  });
});
