import { PdppError } from "@pdpp/contract/errors";
import type { ReadApi } from "@pdpp/contract/operations";
import type { OwnerApi } from "@pdpp/contract/owner";
import type { DiskAccess } from "../import/disk-access.ts";
import type { ImportService } from "../import/import-service.ts";
import type { OwnerSession, SignIn } from "../sign-in/sign-in-service.ts";
import type { SourceService } from "../sources/source-service.ts";

/** Browser sessions, and the services that pages are built on. */

export interface PageParts {
  readonly now: () => number;
  /** The origin the caller used. Throws for a host name that is not the server's own. */
  readonly getOrigin: (request: Request) => string;
  /** What a session is bound to besides its cookie: another program's cookie jar must not be enough. */
  readonly getPeer: (request: Request) => string;
  /** Whose requests are limited together. */
  readonly getSource: (request: Request) => string;
  readonly signIn: SignIn;
}

/** Downloads of all of an owner's data, as streams. */
export interface OwnerCopies {
  /** The whole vault. Rejected when it has other owners. */
  backup(session: OwnerSession, passphrase: string | undefined): Promise<ReadableStream<Uint8Array>>;
  /** All records as NDJSON. */
  exportRecords(session: OwnerSession): Promise<ReadableStream<Uint8Array>>;
}

export interface PictureBlob {
  readonly id: string;
  readonly sizeBytes: number;
  readonly bytes: ReadableStream<Uint8Array>;
}

/** A request for access that the owner opened in this browser and has not decided yet. */
export interface PendingRequest {
  /** Its consent page is `/consent/UID`. */
  readonly uid: string;
  readonly client: string;
  readonly at: number;
  /** Whether the agent said what it wants to read. */
  readonly isSpecific: boolean;
  readonly recipient: string;
  /** Where declining redirects to, as a source for the page's content security policy. */
  readonly formTarget: string | undefined;
}

/** Everything the console depends on. */
export interface ConsoleParts extends PageParts {
  readonly getOwner: (session: OwnerSession) => OwnerApi;
  /** Runs a tool with that reader, and answers the exact text an agent would get. */
  readonly runTool: (api: ReadApi, tool: string, args: Record<string, unknown>, origin: string) => Promise<ToolResult>;
  readonly copies: OwnerCopies;
  /** A small JPEG of a picture; undefined if the blob cannot be shown as one. The page must have read the blob through its reader. */
  readonly loadThumbnail: (session: OwnerSession, blob: PictureBlob) => Promise<Uint8Array | undefined>;
  readonly pendingRequests: { list(session: OwnerSession): Promise<readonly PendingRequest[]> };
  /** Imports; undefined if the server was started without them. */
  readonly imports?: ImportService | undefined;
  /** Collects live sources; undefined if the server was started without it. */
  readonly sources?: SourceService | undefined;
  readonly getDiskAccess?: () => Promise<DiskAccess>;
}

export interface ToolResult {
  readonly text: string;
  readonly isError: boolean;
}

export const isHttps = (origin: string): boolean => new URL(origin).protocol === "https:";

/** The values of all cookies of this name: another port of the host can set more of them, with longer paths. */
export function readCookies(request: Request, name: string): string[] {
  const cookies = (request.headers.get("cookie") ?? "").split(/; */);
  return cookies.filter((cookie) => cookie.startsWith(`${name}=`)).map((cookie) => cookie.slice(name.length + 1));
}

const maxCookies = 8;

export async function findSession(request: Request, parts: PageParts): Promise<OwnerSession | undefined> {
  const { signIn, getPeer } = parts;
  for (const secret of readCookies(request, signIn.cookieName).slice(0, maxCookies)) {
    const session = await signIn.findSession(secret, getPeer(request));
    if (session !== undefined) return session;
  }
  return undefined;
}

/** Rejects forms sent from other sites. */
export function checkSameOrigin(request: Request, origin: string): void {
  const from = request.headers.get("origin");
  if (from === null || from === origin) return;
  throw new PdppError("permission_error", "this form was sent from another site. Reload the page and try again");
}

/**
 * Other sites may link to a page, but not embed it as an image or script. SameSite cookies don't prevent that for another port of this computer,
 * which counts as the same site.
 */
export function checkNotEmbedded({ headers }: Request): void {
  const from = headers.get("sec-fetch-site");
  if (from === null || from === "same-origin" || from === "none" || headers.get("sec-fetch-dest") === "document")
    return;
  throw new PdppError("permission_error", "this page can't be embedded in other sites. Open it in its own tab");
}
