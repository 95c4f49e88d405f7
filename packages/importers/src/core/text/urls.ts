import { cleanText } from "./clean.ts";

/** Parts of an address that let somebody in. */
const secrets =
  /([?&#;](?:[a-z_]*token|api_?key|apikey|passw(?:or)?d|pwd|secret|sig|signature|session(?:id)?|sid|auth|jwt|code|otp|x-amz-[a-z-]+)=)[^&#;]*/gi;

/** An address as it can be kept: neither a password in it nor a token. */
export const redactSecrets = (url: string): string =>
  cleanText(url)
    .replace(/^([a-z][a-z0-9+.-]*:\/\/[^/?#@:]*):[^/?#@]*@/i, "$1@")
    .replace(secrets, "$1…");
