import { refreshTokenGrant } from "openid-client";
import type { OAuthSession } from "../credentials/contents.ts";
import { CredentialsRejected } from "../credentials/rejected.ts";
import { createSession, discoverClient, explainError } from "./client.ts";

/** A run should not begin with a token that is about to expire. */
const minLifetimeMs = 5 * 60_000;

export const isFresh = ({ expires_at }: OAuthSession): boolean => expires_at - Date.now() > minLifetimeMs;

/**
 * Gets a new access token. The refresh token that was used may be void afterwards, so the result has to be stored before it is used. The
 * caller makes sure that only one process does this for a source.
 */
export async function refreshSession(session: OAuthSession): Promise<OAuthSession> {
  const { refresh_token: refreshToken, client_secret: clientSecret } = session;
  if (refreshToken === "") throw new CredentialsRejected("the sign-in is no longer valid");
  try {
    const tokens = await refreshTokenGrant(await discoverClient(session), refreshToken);
    return createSession(session, tokens, refreshToken);
  } catch (error) {
    throw explainError(error, [refreshToken, clientSecret, session.access_token]);
  }
}
