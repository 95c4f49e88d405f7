import { describe, expect, it } from "vitest";
import { findStart, type Resolver } from "./address.ts";

const createResolver = (
  servers: { name: string; port: number; priority: number }[],
  texts: string[][] = [],
): Resolver => ({
  resolveSrv: async () => servers,
  resolveTxt: async () => texts,
});
const nothing: Resolver = {
  resolveSrv: () => Promise.reject(new Error("ENOTFOUND")),
  resolveTxt: () => Promise.reject(new Error("ENOTFOUND")),
};

describe("the start of discovery", () => {
  it("[COL-110] is what DNS says about the domain of an address", async () => {
    const asked: string[] = [];
    const resolver: Resolver = {
      async resolveSrv(name) {
        asked.push(name);
        return [
          { name: "backup.example.org", port: 443, priority: 20 },
          { name: "dav.example.org", port: 8443, priority: 10 },
        ];
      },
      resolveTxt: async () => [["v=1"], ["path=/", "dav"]],
    };
    expect(await findStart("ada@example.org", "carddav", resolver)).toEqual({
      home: new URL("https://example.org"),
      candidates: [
        "https://dav.example.org:8443/dav",
        "https://dav.example.org:8443/.well-known/carddav",
        "https://dav.example.org:8443/",
      ],
      user: "ada@example.org",
    });
    expect(asked).toEqual(["_carddavs._tcp.example.org"]);
  });

  it("[COL-110] is the domain itself if DNS says nothing, or no", async () => {
    const expected = {
      home: new URL("https://example.org"),
      candidates: ["https://example.org/.well-known/caldav", "https://example.org/"],
    };
    expect(await findStart("example.org", "caldav", nothing)).toEqual({ ...expected, user: undefined });
    const refused = createResolver([{ name: ".", port: 0, priority: 0 }]);
    expect(await findStart("ada@example.org", "caldav", refused)).toEqual({ ...expected, user: "ada@example.org" });
  });

  it("[COL-110] is the server's address before its well-known one", async () => {
    expect((await findStart("https://example.org/remote.php/dav?x=1", "caldav", nothing)).candidates).toEqual([
      "https://example.org/remote.php/dav?x=1",
      "https://example.org/.well-known/caldav",
      "https://example.org/",
    ]);
    await expect(findStart("https://ada:secret@example.org", "caldav", nothing)).rejects.toThrow(/must be like/);
    await expect(findStart("what is this", "caldav", nothing)).rejects.toThrow(/must be like/);
  });

  it("[COL-111] is never a server of another site", async () => {
    const elsewhere = createResolver([{ name: "dav.example.net", port: 443, priority: 0 }]);
    await expect(findStart("ada@example.org", "caldav", elsewhere)).rejects.toMatchObject({
      code: "other_site",
      message: expect.stringContaining("https://dav.example.net"),
    });
  });
});
