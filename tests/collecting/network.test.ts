import { rmSync } from "node:fs";
import { createServer, type Server } from "node:net";
import type { JsonObject } from "@pdpp/contract/declaration";
import { createVault, type TestVault } from "@pdpp/test-support/vaults/new-vault";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createWorld, manifest, type World } from "./connector.ts";

const networked: JsonObject = { ...manifest, runtime_requirements: { bindings: { network: { required: true } } } };

describe("the network of a connector", () => {
  let vault: TestVault;
  let world: World;
  let connections = 0;
  let listener: Server;
  let port = 0;
  beforeAll(async () => {
    vault = await createVault("sqlite");
    world = await createWorld(vault);
    listener = createServer((socket) => {
      connections += 1;
      socket.on("error", () => undefined).end("HTTP/1.1 200 OK\r\ncontent-length: 0\r\nconnection: close\r\n\r\n");
    });
    await new Promise<void>((resolve) => listener.listen(0, "127.0.0.1", resolve));
    const address = listener.address();
    port = typeof address === "object" ? (address?.port ?? 0) : 0;
  });
  afterAll(async () => {
    listener.close();
    rmSync(world.folder, { recursive: true, force: true });
    await vault.drop();
  });

  /** Connects by `fetch` and by a plain socket, and returns what each came to. */
  const connect = async (declared: JsonObject): Promise<unknown> => {
    const run = await world.run(
      `const attempt = async (work) => { try { return await work(); } catch (error) { return error.cause?.code ?? error.code; } };
const results = [
  await attempt(async () => (await fetch("http://127.0.0.1:${port}/")).status),
  await attempt(async () => {
    const socket = (await import("node:net")).connect(${port}, "127.0.0.1");
    return new Promise((resolve, reject) => socket.once("connect", () => resolve("connected")).once("error", reject)).finally(() => socket.destroy());
  }),
];
await record("notes", "network", { body: JSON.stringify(results) }); await done(); await leave();`,
      { manifest: declared },
    );
    expect(run.error).toBeUndefined();
    return JSON.parse(String((await world.list("notes")).find(({ id }) => id === "network")?.body));
  };

  it("[COL-8] can be reached only if the manifest asks for it", async () => {
    expect(await connect(manifest)).toEqual(["ERR_ACCESS_DENIED", "ERR_ACCESS_DENIED"]);
    expect(connections).toBe(0);
    expect(await connect(networked)).toEqual([200, "connected"]);
    await expect.poll(() => connections).toBe(2);
  });
});
