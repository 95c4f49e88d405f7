import { PdppError } from "@pdpp/contract/errors";

/** Checks a client's redirect URIs, beyond the checks of the library. */

const maxUris = 20;
const maxUriChars = 2000;

/**
 * Apps that use a scheme without a dot. Any program can claim such a scheme, so others have to use their domain in reverse
 * (RFC 8252, section 7.1), a loopback address or https.
 */
const knownSchemes: ReadonlySet<string> = new Set(["cursor", "vscode", "vscode-insiders", "windsurf", "claude"]);

const webSchemes: ReadonlySet<string> = new Set(["http", "https"]);

/** Answers what is wrong with a redirect URI, or undefined. */
export function findRedirectFault(uri: unknown): string | undefined {
  if (typeof uri !== "string" || uri.length > maxUriChars || !URL.canParse(uri)) return "it is not a URL";
  if (/[\p{Cc}\p{Cf}\s\\]/u.test(uri)) return "it contains spaces, backslashes or control characters";
  if (uri.includes("#")) return "it has a fragment";
  if (uri.includes("*")) return "it contains a wildcard";
  const { protocol, username, password } = new URL(uri);
  if (`${username}${password}` !== "" || /^[a-z][a-z0-9+.-]*:\/\/[^/?]*@/i.test(uri)) return "it contains a user name";
  const scheme = protocol.slice(0, -1);
  if (!webSchemes.has(scheme) && !scheme.includes(".") && !knownSchemes.has(scheme))
    return `the scheme ${scheme} does not contain a dot; use your domain in reverse, such as com.example.app`;
  return undefined;
}

export function checkRedirectUris(uris: readonly unknown[]): void {
  if (uris.length > maxUris) throw new PdppError("invalid_request", `more than ${maxUris} redirect_uris`);
  for (const uri of uris) {
    const fault = findRedirectFault(uri);
    if (fault !== undefined)
      throw new PdppError("invalid_request", `redirect_uris: ${fault}`, { param: "redirect_uris" });
  }
}
