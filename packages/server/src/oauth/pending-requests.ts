import type { OwnerSession, PendingRequest } from "@pdpp/console";
import { LRUCache } from "lru-cache";
import { z } from "zod";
import { hashToken } from "../auth/tokens.ts";
import { findArtifact } from "../store/access/oauth-artifacts.ts";
import { parseJsonAs } from "../store/engine/json.ts";
import type { Store } from "../store/store.ts";

/**
 * Requests whose consent page an owner has opened, by browser session. Only those are listed: anyone can start a request, and a
 * stranger's must not show up on the owner's pages. Kept in memory, because the vault stores only the hash of a request's id.
 */
export interface PendingRequests {
  note(session: OwnerSession, request: Omit<PendingRequest, "at">): void;
  /** Those the owner has not decided yet, newest first. */
  list(session: OwnerSession): Promise<readonly PendingRequest[]>;
}

const maxSessions = 1000;
const maxPerSession = 5;

const interaction = z.looseObject({ result: z.unknown().optional() });

export function createPendingRequests(store: Store, now: () => number): PendingRequests {
  const bySession = new LRUCache<string, readonly PendingRequest[]>({ max: maxSessions });
  const isPending = async ({ uid }: PendingRequest): Promise<boolean> => {
    const key = { idHash: hashToken(uid) };
    const held = await store.engine.read((on) => findArtifact(on, "Interaction", key, now()));
    return held !== undefined && parseJsonAs(interaction, held.body).result === undefined;
  };
  return {
    note({ sessionId }, request) {
      const held = bySession.get(sessionId) ?? [];
      const at = held.find(({ uid }) => uid === request.uid)?.at ?? now();
      const others = held.filter(({ uid }) => uid !== request.uid);
      bySession.set(sessionId, [{ ...request, at }, ...others].slice(0, maxPerSession));
    },
    async list({ sessionId }) {
      const held = bySession.get(sessionId) ?? [];
      const pending: PendingRequest[] = [];
      for (const request of held) if (await isPending(request)) pending.push(request);
      if (pending.length < held.length) bySession.set(sessionId, pending);
      return pending;
    },
  };
}
