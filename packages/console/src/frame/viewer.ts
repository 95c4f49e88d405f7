import type { SavedSearch } from "@pdpp/contract/searches";
import type { OwnerSession } from "../sign-in/sign-in-service.ts";
import { type ConsoleParts, checkNotEmbedded, checkSameOrigin, findSession } from "./session.ts";

/** The session behind a page: its CSRF token, its owner and what every page offers. */
export interface Viewer {
  readonly csrfToken: string;
  /** Only set in a vault with several owners. */
  readonly ownerName?: string | undefined;
  /** Not for pages as an agent sees the vault. */
  readonly savedSearches: readonly SavedSearch[];
}

export async function loadViewer(session: OwnerSession, { signIn, getOwner }: ConsoleParts): Promise<Viewer> {
  const owner = getOwner(session);
  const { name, is_only } = await owner.self();
  return {
    csrfToken: signIn.createCsrfToken(session),
    ownerName: is_only || name === "" ? undefined : name,
    savedSearches: await owner.searches.list(),
  };
}

/** For pages about errors, which must not fail with another one. */
export async function tryLoadViewer(request: Request, parts: ConsoleParts): Promise<Viewer | undefined> {
  try {
    checkSameOrigin(request, parts.getOrigin(request));
    checkNotEmbedded(request);
    const session = await findSession(request, parts);
    return session === undefined ? undefined : await loadViewer(session, parts);
  } catch {
    return undefined;
  }
}
