import { PdppError } from "@pdpp/contract/errors";

export interface Provider {
  readonly issuer: string;
  /** By key of the connector. */
  readonly scopes: Readonly<Record<string, string>>;
  /** Sent with the request for authorization. */
  readonly parameters: Readonly<Record<string, string>>;
  /** Whose port may be any, in the addresses that a desktop app registers. */
  readonly redirectHost: "127.0.0.1" | "localhost";
  readonly hasDeviceCodes: boolean;
}

const google: Provider = {
  issuer: "https://accounts.google.com",
  scopes: {
    // The only scope that IMAP accepts.
    imap: "https://mail.google.com/",
    caldav: "https://www.googleapis.com/auth/calendar",
    carddav: "https://www.googleapis.com/auth/carddav",
  },
  // Google gives a refresh token only if asked so, and again only after consent.
  parameters: { access_type: "offline", prompt: "consent" },
  redirectHost: "127.0.0.1",
  // Not for these scopes.
  hasDeviceCodes: false,
};

const microsoft: Provider = {
  issuer: "https://login.microsoftonline.com/common/v2.0",
  scopes: { imap: "https://outlook.office.com/IMAP.AccessAsUser.All offline_access" },
  parameters: {},
  redirectHost: "localhost",
  hasDeviceCodes: true,
};

const custom: Omit<Provider, "issuer"> = {
  scopes: {},
  parameters: { prompt: "consent" },
  redirectHost: "127.0.0.1",
  hasDeviceCodes: true,
};

const known: Readonly<Record<string, Provider>> = { google, microsoft };

export const providerNames: readonly string[] = [...Object.keys(known), "custom"];

/** `issuer` replaces the usual one, such as that of an organization. A custom provider needs it. */
export function getProvider(name: string, issuer?: string): Provider {
  const provider = known[name];
  if (provider !== undefined) return issuer === undefined ? provider : { ...provider, issuer };
  if (name !== "custom")
    throw new PdppError("invalid_argument", `${JSON.stringify(name)} is not one of ${providerNames.join(", ")}`);
  if (issuer === undefined) throw new PdppError("invalid_argument", "a custom provider needs --issuer URL");
  return { ...custom, issuer };
}

/** The scope that a connector needs. */
export function getScope({ scopes }: Provider, name: string, connectorKey: string): string {
  const scope = scopes[connectorKey];
  if (scope !== undefined) return scope;
  throw new PdppError("invalid_argument", `the scope of ${connectorKey} at ${name} is not known; name it with --scope`);
}
