import { PdppError } from "@pdpp/contract/errors";
import type { ReadApi } from "@pdpp/contract/operations";
import { sessionOf } from "../auth/sessions.ts";
import type { OwnerSession } from "../store/access/sign-in.ts";
import type { Store } from "../store/store.ts";

/** Which owner a browser is signed in as, and where its forms came from. */

export interface PageParts {
  readonly store: Store;
  readonly now: () => number;
  /** The server's own name, as the caller reached it. Refuses a name that is not its own. */
  readonly originOf: (request: Request) => string;
}

export interface ConsoleParts extends PageParts {
  /** Reads everything that an owner has. */
  readonly readerOf: (ownerNo: number) => Promise<ReadApi>;
}

export const isSafe = (origin: string): boolean => new URL(origin).protocol === "https:";
export const cookieName = (origin: string): string => (isSafe(origin) ? "__Host-pdpp_session" : "pdpp_session");

export async function sessionIn(request: Request, parts: PageParts): Promise<OwnerSession | undefined> {
  const name = cookieName(parts.originOf(request));
  const cookies = (request.headers.get("cookie") ?? "").split(/; */);
  const secret = cookies.find((cookie) => cookie.startsWith(`${name}=`))?.slice(name.length + 1);
  return secret === undefined ? undefined : sessionOf(parts.store, secret, parts.now());
}

/** A form of another site must not do anything here. */
export function checkSameOrigin(request: Request, origin: string): void {
  const from = request.headers.get("origin");
  if (from === null || from === origin) return;
  throw new PdppError("permission_error", "Origin not allowed; open the page again and send its form from there");
}
