import { expect, it } from "vitest";
import { authenticate } from "#server/auth/authenticate";
import { issueGrant, issueOwnerToken } from "#server/auth/issue";
import { listGrants, listTokens, revoke } from "#server/store/access/grants";
import { now, openDiary, ownerNo } from "../sample.ts";
import { dumpEverything, type OpenVault, withVault } from "../vault.ts";

const request = { client: { name: "Reader" }, sources: [{ connector_key: "diary", streams: [{ name: "*" }] }] };

export function testGrants(open: OpenVault): void {
  it("stores only the hash of a token, in tables and files", () =>
    withVault(open, async (vault) => {
      const { store } = vault;
      await openDiary(store);
      const { token: client, grants: given } = await issueGrant(store, ownerNo, request, now);
      const { token: owner } = await issueOwnerToken(store, ownerNo, "laptop", now, null);
      const held = await dumpEverything(vault);
      expect(held).toContain(given[0]!.grant_id);
      for (const token of [client, owner]) {
        expect(held.includes(token)).toBe(false);
        expect(held.includes(token.split("_").slice(2).join("_"))).toBe(false);
      }
    }));

  it("accepts a token until it is revoked or expired", () =>
    withVault(open, async ({ store }) => {
      await openDiary(store);
      const { token, grants: given } = await issueGrant(store, ownerNo, { ...request, expires_at: "2026-04-01" }, now);
      const other = await issueGrant(store, ownerNo, request, now);
      expect((await authenticate(store, token, now)).streams.map(({ stream }) => stream.declaration.name)).toEqual([
        "entries",
      ]);
      await expect(authenticate(store, `${token}x`, now)).rejects.toMatchObject({ code: "authentication_error" });
      await expect(authenticate(store, token, Date.parse("2026-04-01"))).rejects.toMatchObject({
        code: "grant_expired",
      });
      expect(await store.engine.write((on) => revoke(on, ownerNo, given[0]!.grant_id, now + 1))).toBe(true);
      await expect(authenticate(store, token, now)).rejects.toMatchObject({ code: "grant_revoked" });
      expect((await authenticate(store, other.token, now)).grantIds).toEqual([other.grants[0]!.grant_id]);
      expect(await store.engine.write((on) => revoke(on, ownerNo, "grt_none", now))).toBe(false);
      await store.engine.write((on) => revoke(on, ownerNo, given[0]!.grant_id, now + 99));
      const stored = await store.engine.read((on) => listGrants(on, ownerNo));
      expect(stored.find(({ grant }) => grant.grant_id === given[0]!.grant_id)?.revokedAt).toBe(now + 1);
    }));

  it("revokes an owner's token without affecting others", () =>
    withVault(open, async ({ store }) => {
      await openDiary(store);
      const [lost, kept] = [
        await issueOwnerToken(store, ownerNo, "lost", now, null),
        await issueOwnerToken(store, ownerNo, "kept", now, null),
      ];
      await store.engine.write((on) => revoke(on, ownerNo, lost.token_id, now));
      await expect(authenticate(store, lost.token, now)).rejects.toMatchObject({ code: "authentication_error" });
      expect((await authenticate(store, kept.token, now)).tokenKind).toBe("owner");
      const listed = await store.engine.read((on) => listTokens(on, ownerNo, "owner"));
      expect(listed.map(({ clientName, revokedAt }) => [clientName, revokedAt === null]).sort()).toEqual([
        ["kept", true],
        ["lost", false],
      ]);
    }));
}
