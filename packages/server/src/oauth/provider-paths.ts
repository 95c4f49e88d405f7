/** Where the authorization server is, apart from the library, which is loaded when somebody comes. */

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

/** Where clients of the public protocol begin. */
export const agentConnectPath = "/agent-connect";

/** Where servers that hold the data elsewhere ask what a token means. */
export const introspectionPath = "/introspect";

/** Where a request continues after the owner has signed in. */
export const waitingPath = "/oauth/waiting";

/** Where the owner decides. */
export const consentPath = "/consent";

/** How a typed code comes to the page: under the library's own name it would be sent on by a script, which our pages do not run. */
export const typedCode = "typed";
