import type { OAuthClientProvider } from "@modelcontextprotocol/sdk/client/auth.js";
import type { OAuthClientInformationMixed, OAuthTokens } from "@modelcontextprotocol/sdk/shared/auth.js";

/** The MCP SDK's unmodified OAuth client, with in-memory storage. */
export class TestOAuthClient implements OAuthClientProvider {
  readonly redirectUrl: string;
  readonly clientMetadata: { readonly client_name: string; readonly redirect_uris: string[] };
  authorizationUrl: URL | undefined;
  savedTokens: OAuthTokens | undefined;
  private client: OAuthClientInformationMixed | undefined;
  private verifier = "";
  constructor(redirectUrl: string, name = "Test agent") {
    this.redirectUrl = redirectUrl;
    this.clientMetadata = { client_name: name, redirect_uris: [redirectUrl] };
  }
  clientInformation() {
    return this.client;
  }
  saveClientInformation(client: OAuthClientInformationMixed) {
    this.client = client;
  }
  tokens() {
    return this.savedTokens;
  }
  saveTokens(tokens: OAuthTokens) {
    this.savedTokens = tokens;
  }
  /** Called when the tokens are no longer valid; the client then asks again. */
  invalidateCredentials() {
    this.savedTokens = undefined;
  }
  redirectToAuthorization(url: URL) {
    this.authorizationUrl = url;
  }
  saveCodeVerifier(verifier: string) {
    this.verifier = verifier;
  }
  codeVerifier() {
    return this.verifier;
  }
}
