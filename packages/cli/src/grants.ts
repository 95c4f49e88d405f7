import { PdppError } from "@pdpp/contract/errors";
import { isoOf } from "@pdpp/contract/instant";
import { grants, type StoredGrant } from "@pdpp/server/store/access/grants";
import type { Reading } from "@pdpp/server/store/engine/engine";
import { ownerNo } from "./vault.ts";

export type State = "active" | "revoked" | "expired";

export function stateOf(
  { revokedAt, expiresAt }: { revokedAt: number | null; expiresAt: number | null },
  now: number,
): State {
  if (revokedAt !== null) return "revoked";
  return expiresAt !== null && expiresAt <= now ? "expired" : "active";
}

/** A grant as the owner sees it: as issued, and what became of it. */
export const grantDocument = (stored: StoredGrant) => ({
  object: "grant" as const,
  ...stored.grant,
  status: stateOf(stored, Date.now()),
  ...(stored.revokedAt === null ? {} : { revoked_at: isoOf(stored.revokedAt) }),
});
export type GrantDocument = ReturnType<typeof grantDocument>;

/** The grant with that id, or every grant of the package with that id. */
export async function grantsNamed(on: Reading, id: string): Promise<GrantDocument[]> {
  const found = (await grants(on, ownerNo)).filter(({ grant }) => grant.grant_id === id || grant.package_id === id);
  if (found.length === 0)
    throw new PdppError("not_found", `there is no grant or package ${JSON.stringify(id)}; pdpp grant list shows them`);
  return found.map(grantDocument);
}

/** One grant stands for itself, a package for its grants. */
export const namedDocument = (id: string, found: readonly GrantDocument[]) =>
  found[0]!.grant_id === id ? found[0]! : { object: "package" as const, package_id: id, grants: found };
