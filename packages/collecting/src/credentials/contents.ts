import { z } from "zod";

/** The sealed contents of a source's secret. */

const password = z.object({ method: z.literal("password"), values: z.record(z.string(), z.string()) });

const oauth = z.object({
  method: z.literal("oauth"),
  /** One of the known providers, or `custom`. */
  provider: z.string(),
  issuer: z.string(),
  client_id: z.string(),
  client_secret: z.string().optional(),
  scope: z.string(),
  /** The variable in which the connector expects the access token. */
  variable: z.string(),
  refresh_token: z.string(),
  access_token: z.string(),
  /** In epoch milliseconds. */
  expires_at: z.number(),
});

const contents = z.discriminatedUnion("method", [password, oauth]);

export type SecretContents = z.infer<typeof contents>;
/** The result of an OAuth sign-in, with all that is needed to refresh it. */
export type OAuthSession = z.infer<typeof oauth>;

export const parseContents = (text: string): SecretContents => contents.parse(JSON.parse(text));
