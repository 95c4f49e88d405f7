import { createHmac, generateKeyPairSync } from "node:crypto";
import { dataAccessType, parseSelection } from "@pdpp/consent/selection";
import Provider, { type Configuration, errors, interactionPolicy, type KoaContextWithOIDC } from "oidc-provider";
import { getCookieLabel } from "../auth/sessions.ts";
import { createToken } from "../auth/tokens.ts";
import { getPackageExpiry } from "../store/access/access-tokens.ts";
import type { Store } from "../store/store.ts";
import { createAdapter } from "./adapter.ts";
import type { Documents } from "./documents.ts";
import { isSingleUse, listGrantedDetails } from "./granted-details.ts";
import { consentPath, formatLibraryCookieNames, paths, scope, typedCode } from "./provider-paths.ts";

/** Configures the authorization library for one vault. Unusual settings are there because a real client failed without them. */

const hour = 3600;
const day = 24 * hour;
const maxAccessSeconds = 365 * day;

export interface ProviderParts {
  readonly store: Store;
  readonly now: () => number;
  readonly origin: string;
  readonly pages: LibraryPages;
  readonly documents: Documents;
}

export interface LibraryPages {
  renderError(message: string): string;
  renderEnterCode(csrfToken: string, typed: string, fault: string | undefined): string;
  renderConfirmCode(csrfToken: string, userCode: string, clientName: string | undefined): string;
  renderCodeAnswered(shared: boolean): string;
}

export function createProvider({ store, now, origin, pages, documents }: ProviderParts): Provider {
  const isOurs = (resource: string): boolean =>
    [origin, `${origin}/`, `${origin}/mcp`, `${origin}/mcp/`].includes(resource);
  const loadDetails = async (grantId: string | undefined) =>
    grantId === undefined ? undefined : listGrantedDetails(store, grantId);
  /** Tokens of clients that can't refresh last as long as the grant. */
  const getSecondsLeft = async ({ oidc }: KoaContextWithOIDC): Promise<number> => {
    const packageId = oidc.entities.Grant?.jti;
    if (packageId === undefined) return hour;
    const ends = await store.engine.read((on) => getPackageExpiry(on, packageId));
    return Math.max(
      1,
      Math.min(maxAccessSeconds, ends === null ? maxAccessSeconds : Math.floor((ends - now()) / 1000)),
    );
  };
  const configuration: Configuration = {
    adapter: createAdapter(store, now, documents.isFetching),
    routes: paths,
    scopes: [scope],
    claims: {},
    responseTypes: ["code"],
    pkce: { required: () => true },
    // Local programs listen on any free port.
    clientDefaults: {
      application_type: "native",
      id_token_signed_response_alg: "ES256",
      grant_types: ["authorization_code", "refresh_token"],
      response_types: ["code"],
      token_endpoint_auth_method: "none",
      authorization_details_types: [dataAccessType],
    },
    clientAuthMethods: ["none"],
    cookies: {
      keys: [createHmac("sha256", store.secret).update("cookies of the authorization server").digest("base64url")],
      names: formatLibraryCookieNames(getCookieLabel(store), origin.startsWith("https:")),
      long: { signed: true, httpOnly: true, sameSite: "lax" },
      short: { signed: true, httpOnly: true, sameSite: "lax" },
    },
    jwks: { keys: [createSigningKey()] },
    ttl: {
      AccessToken: (_ctx, token) => token.resourceServer?.accessTokenTTL ?? hour,
      AuthorizationCode: 60,
      DeviceCode: 600,
      Grant: 3650 * day,
      Interaction: hour,
      RefreshToken: 180 * day,
      Session: hour,
    },
    // The library's only outgoing requests.
    fetch: (url, options) => documents.fetch(String(url), options ?? {}),
    features: {
      clientIdMetadataDocument: {
        // Only with a public URL: on a laptop clients have to register, so that it works offline.
        enabled: origin.startsWith("https:"),
        ack: "draft-02",
        allowFetch: (_ctx, clientId) => documents.isFetching(clientId),
        // The vault has its own cache.
        cacheDuration: { min: 1, max: 60 },
      },
      devInteractions: { enabled: false },
      dPoP: { enabled: false },
      userinfo: { enabled: false },
      rpInitiatedLogout: { enabled: false },
      introspection: { enabled: false },
      revocation: { enabled: true },
      pushedAuthorizationRequests: { enabled: true },
      deviceFlow: {
        enabled: true,
        charset: "base-20",
        mask: "****-****",
        deviceInfo: () => ({}),
        userCodeInputSource(ctx, _form, _out, error) {
          ctx.type = "html";
          const fault = error === undefined ? undefined : describeCodeError(error);
          if (fault === "over") ctx.body = pages.renderCodeAnswered(false);
          else ctx.body = pages.renderEnterCode(getCsrfToken(ctx), getTypedCode(ctx), fault);
        },
        userCodeConfirmSource(ctx, _form, client, _info, userCode) {
          ctx.type = "html";
          ctx.body = pages.renderConfirmCode(getCsrfToken(ctx), userCode, client.clientName);
        },
        successSource(ctx) {
          ctx.type = "html";
          ctx.body = pages.renderCodeAnswered(true);
        },
      },
      registration: { enabled: true, issueRegistrationAccessToken: false },
      resourceIndicators: {
        enabled: true,
        defaultResource: () => `${origin}/mcp`,
        async getResourceServerInfo(ctx, resource, client) {
          if (!isOurs(resource)) throw new errors.InvalidTarget();
          const accessTokenTTL = client.grantTypeAllowed("refresh_token") ? hour : await getSecondsLeft(ctx);
          return { scope, accessTokenFormat: "opaque", accessTokenTTL, audience: resource };
        },
        useGrantedResource: () => true,
      },
      richAuthorizationRequests: {
        enabled: true,
        types: {
          [dataAccessType]: {
            validate: (_ctx, detail) => {
              const { error } = parseSelection(detail);
              if (error !== undefined) throw new errors.InvalidAuthorizationDetails(error);
            },
          },
        },
        authorizationDetailsForGrantSource: (ctx) => loadDetails(getGrantId(ctx)),
        authorizationDetailsForAccessToken: (_ctx, _token, source) => loadDetails(source?.grantId),
      },
    },
    findAccount: (_ctx, accountId) => ({ accountId, claims: () => ({ sub: accountId }) }),
    interactions: { policy: createConsentPolicy(), url: (_ctx, { uid }) => `${consentPath}/${uid}` },
    loadExistingGrant: async (ctx) => {
      const grantId = getGrantId(ctx);
      return grantId === undefined ? undefined : ctx.oidc.provider.Grant.find(grantId);
    },
    issueRefreshToken: async (_ctx, client, { grantId }) =>
      client.grantTypeAllowed("refresh_token") && !(grantId !== undefined && (await isSingleUse(store, grantId))),
    rotateRefreshToken: true,
    expiresWithSession: () => false,
    renderError(ctx, out) {
      ctx.type = "html";
      ctx.body = pages.renderError(out.error_description ?? out.error);
    },
  };
  const provider = new Provider(origin, configuration);
  // The library has no setting for the token format; ours have a prefix.
  Object.defineProperty(provider.AccessToken.prototype, "generateTokenId", {
    value(this: { format: string }) {
      this.format = "opaque";
      return createToken("client");
    },
  });
  return provider;
}

/** The owner's decision in this interaction; an earlier decision never answers a new request. */
const getGrantId = (ctx: KoaContextWithOIDC): string | undefined => ctx.oidc.result?.consent?.grantId;

/** The library keeps a CSRF value in its own session. */
function getCsrfToken({ oidc }: KoaContextWithOIDC): string {
  const { secret } = oidc.session?.state ?? {};
  return typeof secret === "string" ? secret : "";
}

function getTypedCode(ctx: KoaContextWithOIDC): string {
  const typed = ctx.query[typedCode] ?? ctx.oidc.params?.user_code;
  return typeof typed === "string" ? typed : "";
}

function describeCodeError(error: Error): string {
  if (error.name === "AbortedError") return "over";
  if (error.name === "NoCodeError") return "Enter the code shown by the app.";
  if (error.name === "AlreadyUsedError") return "This code was already used. Start again from the app.";
  return "No app is waiting with this code. Check it, or start again from the app; codes expire after ten minutes.";
}

function createConsentPolicy(): interactionPolicy.DefaultPolicy {
  const { Check, Prompt, base } = interactionPolicy;
  const policy = base();
  policy.clear();
  policy.add(
    new Prompt(
      { name: "consent", requestable: true },
      new Check("owner_decides", "the owner decides each time", ({ oidc }) => oidc.result?.consent === undefined),
    ),
  );
  return policy;
}

/** Required by the library, but unused, because we issue no ID tokens. */
function createSigningKey() {
  const { privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  return { ...privateKey.export({ format: "jwk" }), use: "sig", alg: "ES256" };
}
