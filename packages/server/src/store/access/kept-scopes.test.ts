import { describe, expect, it } from "vitest";
import type { Engine } from "../engine/engine.ts";
import { openKeptScopes } from "./kept-scopes.ts";
import type { Scope } from "./scope.ts";

const scope = { streams: [] } as unknown as Scope;
const expiresAt = 100;
const openWith = (readRevision: () => string | undefined) =>
  openKeptScopes({ watch: () => readRevision } as unknown as Engine);

describe("[AUT-22] kept scopes", () => {
  it("are found while the revision is the same and nothing has expired", () => {
    let revision: string | undefined = "a";
    const scopes = openWith(() => revision);
    scopes.keep("hash", { scope, revision: "a", expiresAt });
    expect([scopes.find("hash", 0), scopes.find("hash", 99), scopes.find("other", 0)]).toEqual([
      scope,
      scope,
      undefined,
    ]);
    expect(scopes.find("hash", 100)).toBeUndefined();
    // Also when the clock is set back.
    expect(scopes.find("hash", 0)).toBeUndefined();
    scopes.keep("hash", { scope, revision: "a", expiresAt });
    revision = "b";
    expect(scopes.find("hash", 0)).toBeUndefined();
  });

  it("are not used while the revision cannot be read", () => {
    let revision: string | undefined;
    const scopes = openWith(() => revision);
    scopes.keep("hash", { scope, revision: "a", expiresAt });
    expect(scopes.find("hash", 0)).toBeUndefined();
    revision = "a";
    expect(scopes.find("hash", 0)).toBe(scope);
  });

  it("are not used when they were compiled before a change that the revision shows already", () => {
    const scopes = openWith(() => "new");
    scopes.keep("hash", { scope, revision: "old", expiresAt });
    expect(scopes.find("hash", 0)).toBeUndefined();
  });

  it("are never kept on an engine without revisions", () => {
    const scopes = openKeptScopes({} as Engine);
    scopes.keep("hash", { scope, revision: "0", expiresAt });
    expect(scopes.find("hash", 0)).toBeUndefined();
  });

  it("are bounded in number and in size", () => {
    const scopes = openWith(() => "a");
    const countKept = (size: number, resources: readonly string[]): number => {
      const large = { streams: [{ connections: [], fields: null, resources }] } as unknown as Scope;
      for (let n = 0; n < size; n += 1) scopes.keep(`${n}`, { scope: large, revision: "a", expiresAt });
      return Array.from({ length: size }, (_, n) => scopes.find(`${n}`, 0)).filter((each) => each !== undefined).length;
    };
    expect(countKept(1200, [])).toBe(1000);
    expect(countKept(100, Array.from({ length: 10_000 }, String))).toBeLessThan(50);
  });
});
