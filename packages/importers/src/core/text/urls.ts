import { cleanText } from "./clean.ts";

/** Query parameters that grant access. */
const secrets =
  /([?&#;](?:[a-z_]*token|api_?key|apikey|passw(?:or)?d|pwd|secret|sig|signature|session(?:id)?|sid|auth|jwt|code|otp|x-amz-[a-z-]+)=)[^&#;]*/gi;

/** The text unchanged if it is not valid percent-encoding. */
export function decodeUri(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** Removes passwords and tokens from a URL. */
export const redactSecrets = (url: string): string =>
  cleanText(url)
    .replace(/^([a-z][a-z0-9+.-]*:\/\/[^/?#@:]*):[^/?#@]*@/i, "$1@")
    .replace(secrets, "$1…");
