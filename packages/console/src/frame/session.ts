import { PdppError } from "@pdpp/contract/errors";
import type { ImportService } from "@pdpp/contract/import-service";
import type { ReadApi } from "@pdpp/contract/operations";
import type { OwnerApi } from "@pdpp/contract/owner";
import type { OwnerSession, SignIn } from "@pdpp/contract/sign-in";

/** Which owner a browser is signed in as, and where its forms came from. */

export interface PageParts {
  readonly now: () => number;
  /** The server's own name, as the caller reached it. Refuses a name that is not its own. */
  readonly getOrigin: (request: Request) => string;
  readonly signIn: SignIn;
}

/** Copies of all that an owner has, as they are taken. */
export interface OwnerCopies {
  /** The whole vault, to be restored elsewhere. Refused where it holds the data of others too. */
  backup(session: OwnerSession, passphrase: string | undefined): Promise<ReadableStream<Uint8Array>>;
  /** Every record as a line of JSON. */
  exportRecords(session: OwnerSession): Promise<ReadableStream<Uint8Array>>;
}

/** Everything the console depends on. */
export interface ConsoleParts extends PageParts {
  readonly getOwner: (session: OwnerSession) => OwnerApi;
  /** The exact text that an agent gets for a call of a tool, over that reader and at that address. */
  readonly runTool: (api: ReadApi, tool: string, args: Record<string, unknown>, origin: string) => Promise<ToolResult>;
  readonly copies: OwnerCopies;
  /** Imports; undefined if the server was started without them. */
  readonly imports?: ImportService | undefined;
  /** Whether an owner may name files of the server's own disk: not from elsewhere, and not where several share the server. */
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

/** A form of another site must not do anything here. */
export function checkSameOrigin(request: Request, origin: string): void {
  const from = request.headers.get("origin");
  if (from === null || from === origin) return;
  throw new PdppError("permission_error", "this form was sent from another site. Reload the page and try again");
}
