import type { JsonObject } from "@pdpp/contract/declaration";
import { credentialsRecovery, type RunDocument, type SourceDocument } from "@pdpp/contract/sources";
import { z } from "zod";
import { isFresh, refreshSession } from "../oauth/refresh.ts";
import type { Interact, InteractionAnswer } from "../run/interaction.ts";
import type { OAuthSession } from "./contents.ts";
import type { Credentials, OpenSecret } from "./credentials.ts";
import { CredentialsRejected, rejectedCode } from "./rejected.ts";

interface RunCredentialsRequest {
  readonly source: SourceDocument;
  readonly credentials: Credentials | undefined;
  /** The variables of the manifest that are not paths. */
  readonly variables: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly interact: Interact | undefined;
}

/** Provides a connector's credentials. Variables of pdpp's environment override saved ones. */
export class RunCredentials {
  readonly #request: RunCredentialsRequest;
  readonly #kept: Record<string, string> = {};
  /** The run, for refreshing an access token. */
  #runId = "";
  #renewedAt = Number.NEGATIVE_INFINITY;
  #hasSession = false;
  /** The connector could not sign in with the access token, although it looks fresh. */
  #isRejected = false;
  #rejections = 0;

  constructor(request: RunCredentialsRequest) {
    this.#request = request;
  }

  /** Called once the run has its lease: two refreshes at the same time would end the sign-in. */
  readonly load = async (runId: string): Promise<Record<string, string>> => {
    this.#runId = runId;
    const { env, variables } = this.#request;
    const given = Object.fromEntries(variables.flatMap((name) => (env[name] ? [[name, env[name]]] : [])));
    return { ...(await this.#loadSaved(given)), ...given };
  };

  async #loadSaved(given: Readonly<Record<string, string>>): Promise<Record<string, string>> {
    const { source, credentials, variables } = this.#request;
    const secret = await credentials?.open(source.source_id);
    if (secret === undefined || credentials === undefined) return {};
    const { contents } = secret;
    if (contents.method === "password")
      return Object.fromEntries(Object.entries(contents.values).filter(([name]) => variables.includes(name)));
    if (contents.variable in given) return {};
    const isUsable = isFresh(contents) && !this.#isRejected;
    this.#isRejected = false;
    this.#hasSession = true;
    const session = isUsable ? contents : await this.#renew(credentials, secret);
    return { [session.variable]: session.access_token };
  }

  /**
   * Whether another run with a new access token may succeed: one can be refused before it expires, and expires during a long run. Only a
   * new one that is refused is the owner's concern.
   */
  renewAfter({ error }: RunDocument): boolean {
    if (error?.recovery !== credentialsRecovery || error.code === rejectedCode || !this.#hasSession) return false;
    if (performance.now() - this.#renewedAt < minRenewalMs || this.#rejections >= maxRejections) return false;
    this.#rejections += 1;
    this.#isRejected = true;
    return true;
  }

  /** Stores the new refresh token before its access token is used: the old one may be void from now on. */
  async #renew(credentials: Credentials, secret: OpenSecret): Promise<OAuthSession> {
    const { contents } = secret;
    if (contents.method !== "oauth") throw new CredentialsRejected("the source signs in with a password now");
    this.#renewedAt = performance.now();
    const renewed = await refreshSession(contents).catch(async (error: unknown) => {
      // It is not tried again: a provider may take that for theft.
      if (error instanceof CredentialsRejected)
        await credentials.refresh(this.#runId, secret, { ...contents, refresh_token: "", expires_at: 0 });
      throw error;
    });
    if (await credentials.refresh(this.#runId, secret, renewed)) return renewed;
    const current = (await credentials.open(secret.stored.source_id))?.contents;
    if (current?.method === "oauth" && isFresh(current)) return current;
    throw new CredentialsRejected("the credentials were replaced during the run");
  }

  /** Answers a connector that asks for another access token itself. Other questions go to a person, if there is one. */
  get interact(): Interact | undefined {
    const { source, interact, credentials } = this.#request;
    if (interact === undefined && (credentials === undefined || source.sign_in !== "oauth")) return undefined;
    return async (request, signal) => {
      const names = listNames(request.schema);
      const token = request.kind === "credentials" ? await this.#answerToken(names) : undefined;
      if (token !== undefined) return token;
      const answer = (await interact?.(request, signal)) ?? { status: "cancelled" };
      if (answer.status === "success" && answer.keep) this.#keep(answer.data);
      return answer;
    };
  }

  async #answerToken([name, ...others]: readonly string[]): Promise<InteractionAnswer | undefined> {
    const { source, credentials } = this.#request;
    const secret = source.sign_in === "oauth" ? await credentials?.open(source.source_id) : undefined;
    if (credentials === undefined || secret?.contents.method !== "oauth") return undefined;
    if (name !== secret.contents.variable || others.length > 0) return undefined;
    // A new token that is refused will not get better.
    if (performance.now() - this.#renewedAt < minRenewalMs) return { status: "cancelled" };
    const { access_token } = await this.#renew(credentials, secret);
    return { status: "success", data: { [name]: access_token } };
  }

  #keep(data: JsonObject): void {
    for (const [name, value] of Object.entries(data))
      if (typeof value === "string" && this.#request.variables.includes(name)) this.#kept[name] = value;
  }

  /** Saves the answers that the owner wanted to keep, once a run has shown that they are right. */
  async saveAnswers({ status, source_id: sourceId }: RunDocument): Promise<void> {
    const { credentials } = this.#request;
    if (status !== "succeeded" || credentials === undefined || Object.keys(this.#kept).length === 0) return;
    await credentials.save(sourceId, { ...(await credentials.load(sourceId)), ...this.#kept });
  }
}

const minRenewalMs = 60_000;
/** A first collection may take longer than many tokens last. */
const maxRejections = 24;

const schemaProperties = z.object({ properties: z.record(z.string(), z.unknown()) });

/** The names that a question asks for. */
const listNames = (schema: JsonObject | null | undefined): string[] => {
  const parsed = schemaProperties.safeParse(schema);
  return parsed.success ? Object.keys(parsed.data.properties) : [];
};
