import { createHash } from "node:crypto";
import { createVault, surfaceEngines, type TestVault } from "@pdpp/test-support/vaults/new-vault";
import { createSample, everything, now, type Sample } from "@pdpp/test-support/vaults/sample";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { issueOwnerToken } from "#server/auth/issue";
import { createSignInCode } from "#server/auth/sessions";
import { raw } from "#server/store/engine/sql";

const countBits = (base64url: string): number => Buffer.from(base64url, "base64url").byteLength * 8;
const digest = (secret: string): string => createHash("sha256").update(secret).digest("base64url");

describe.each(surfaceEngines)("secrets in the vault, on %s", (engine) => {
  let vault: TestVault;
  let world: Sample;
  beforeAll(async () => {
    vault = await createVault(engine);
    world = await createSample(vault);
  });
  afterAll(() => vault.drop());

  const dump = async (table: string): Promise<string> =>
    JSON.stringify(await vault.store.engine.read((on) => on.all(raw(`SELECT * FROM ${table}`))));

  it("[CON-10] has 256-bit tokens as SHA-256 hashes only", async () => {
    const { token: own } = await issueOwnerToken(vault.store, 1, "script", now, null);
    const tokens = [own, await world.grant(everything), await world.grant(everything)];
    expect(new Set(tokens).size).toBe(3);
    const rows = await dump("token");
    for (const token of tokens) {
      const [, random = ""] = /^pdpp_(?:owner|client)_([\w-]+)$/.exec(token) ?? [];
      expect(countBits(random)).toBe(256);
      expect(rows).toContain(digest(token));
      expect(rows).not.toContain(random);
    }
  });

  it("[CON-10] has 128-bit sign-in codes as SHA-256 hashes only", async () => {
    const code = await createSignInCode(vault.store, 1, now);
    expect(countBits(code)).toBe(128);
    const rows = await dump("owner_link");
    expect(rows).toContain(digest(code));
    expect(rows).not.toContain(code);
  });
});
