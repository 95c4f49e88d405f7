/** Paths and constants, separate from the library so that it can be loaded lazily. */

export const scope = "pdpp:read";

export const deviceGrant = "urn:ietf:params:oauth:grant-type:device_code";

export const paths = {
  authorization: "/oauth/authorize",
  token: "/oauth/token",
  pushed_authorization_request: "/oauth/par",
  registration: "/oauth/register",
  revocation: "/oauth/revoke",
  device_authorization: "/oauth/device_authorization",
  code_verification: "/device",
  jwks: "/oauth/jwks",
} as const;

export const serverMetadataPath = "/.well-known/oauth-authorization-server";

export const agentConnectPath = "/agent-connect";

export const introspectionPath = "/introspect";

/** Where a request continues after the owner has signed in. */
export const waitingPath = "/oauth/waiting";

export const consentPath = "/consent";

/** Cookies of the authorization library. Two of them have a path of their own, which `__Host-` forbids. */
export const formatLibraryCookieNames = (label: string, isSecure: boolean) => ({
  interaction: `${isSecure ? "__Secure-" : ""}pdpp_interaction_${label}`,
  resume: `${isSecure ? "__Secure-" : ""}pdpp_resume_${label}`,
  session: `${isSecure ? "__Host-" : ""}pdpp_authorizing_${label}`,
});

/** Our parameter for a prefilled code. With its own name, the library would submit it by script, which our pages don't run. */
export const typedCode = "typed";
