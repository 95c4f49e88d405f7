import { PdppError } from "@pdpp/contract/errors";
import type { ReadApi } from "@pdpp/contract/operations";
import type { OwnerApi } from "@pdpp/contract/owner";
import type { ImportService } from "../import/import-service.ts";
import type { OwnerSession, SignIn } from "../sign-in/sign-in-service.ts";

/** Browser sessions, and the services that pages are built on. */

export interface PageParts {
  readonly now: () => number;
  /** The origin the caller used. Throws for a host name that is not the server's own. */
  readonly getOrigin: (request: Request) => string;
  readonly signIn: SignIn;
}

/** Downloads of all of an owner's data, as streams. */
export interface OwnerCopies {
  /** The whole vault. Rejected when it has other owners. */
  backup(session: OwnerSession, passphrase: string | undefined): Promise<ReadableStream<Uint8Array>>;
  /** All records as NDJSON. */
  exportRecords(session: OwnerSession): Promise<ReadableStream<Uint8Array>>;
}

/** Everything the console depends on. */
export interface ConsoleParts extends PageParts {
  readonly getOwner: (session: OwnerSession) => OwnerApi;
  /** Runs a tool with that reader, and answers the exact text an agent would get. */
  readonly runTool: (api: ReadApi, tool: string, args: Record<string, unknown>, origin: string) => Promise<ToolResult>;
  readonly copies: OwnerCopies;
  /** Imports; undefined if the server was started without them. */
  readonly imports?: ImportService | undefined;
  /** Whether an owner may import from a path on the server: not remotely, and not when several owners share it. */
  readonly getDiskAccess?: () => Promise<"open" | "elsewhere" | "shared">;
}

export interface ToolResult {
  readonly text: string;
  readonly isError: boolean;
}

export const isHttps = (origin: string): boolean => new URL(origin).protocol === "https:";
export const getCookieName = (origin: string): string => (isHttps(origin) ? "__Host-pdpp_session" : "pdpp_session");

export async function findSession(request: Request, parts: PageParts): Promise<OwnerSession | undefined> {
  const name = getCookieName(parts.getOrigin(request));
  const cookies = (request.headers.get("cookie") ?? "").split(/; */);
  const secret = cookies.find((cookie) => cookie.startsWith(`${name}=`))?.slice(name.length + 1);
  return secret === undefined ? undefined : parts.signIn.findSession(secret);
}

/** Rejects forms sent from other sites. */
export function checkSameOrigin(request: Request, origin: string): void {
  const from = request.headers.get("origin");
  if (from === null || from === origin) return;
  throw new PdppError("permission_error", "this form was sent from another site. Reload the page and try again");
}
