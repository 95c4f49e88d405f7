import { createServer } from "node:net";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createPublicFetch, type Resolve } from "./public-fetch.ts";

describe("fetching from public addresses", () => {
  let connections = 0;
  const inside = createServer((socket) => {
    connections += 1;
    socket.destroy();
  });
  let port = 0;
  beforeAll(async () => {
    await new Promise<void>((resolve) => inside.listen(0, resolve));
    const address = inside.address();
    port = typeof address === "object" ? (address?.port ?? 0) : 0;
  });
  afterAll(() => inside.close());

  const resolveTo =
    (...addresses: string[]): Resolve =>
    async () =>
      addresses.map((address) => ({ address, family: address.includes(":") ? 6 : 4 }));

  it.each([
    [["127.0.0.1"]],
    [["::1"]],
    [["::ffff:127.0.0.1"]],
    [["10.0.0.1"]],
    [["169.254.169.254"]],
    [["fd00::1"]],
    [["0.0.0.0"]],
    [["100.64.0.1"]],
    [["93.184.215.14", "127.0.0.1"]],
    [[]],
  ])("[WEB-9] connects to nothing when a name resolves to %j", async (addresses) => {
    const before = connections;
    const fetchPublic = createPublicFetch(resolveTo(...addresses));
    await expect(fetchPublic(`https://rebound.example:${port}/client.json`, {})).rejects.toThrow(/public addresses/);
    expect(connections).toBe(before);
  });

  it.each(["127.0.0.1", "[::1]", "[::ffff:7f00:1]", "2130706433", "0x7f.1"])(
    "[WEB-9] connects to nothing at %s",
    async (host) => {
      const before = connections;
      await expect(createPublicFetch()(`https://${host}:${port}/`, {})).rejects.toThrow(/not public/);
      expect(connections).toBe(before);
    },
  );

  it("[WEB-9] connects to the address that was checked, and looks up no other", async () => {
    const before = connections;
    let lookups = 0;
    const resolve: Resolve = async (hostname) => {
      lookups += 1;
      return resolveTo("127.0.0.1")(hostname);
    };
    await expect(createPublicFetch(resolve, () => true)(`https://checked.example:${port}/`, {})).rejects.toThrow();
    expect([connections - before, lookups]).toEqual([1, 1]);
  });
});
