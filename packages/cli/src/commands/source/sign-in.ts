import type { Credentials } from "@pdpp/collecting/credentials";
import { loadSignInFields, type SignInFields } from "@pdpp/collecting/credentials/fields";
import { getProvider, getScope, providerNames } from "@pdpp/collecting/oauth/providers";
import { type SignInRequest, signInWithBrowser, signInWithCode } from "@pdpp/collecting/oauth/sign-in";
import { syncSource } from "@pdpp/collecting/sync-source";
import type { SourceDocument } from "@pdpp/contract/sources";
import { type Command, Option } from "commander";
import { openBrowser } from "../../connect/open-browser.ts";
import { readSecretFile } from "../../input/secret-input.ts";
import { escapeUnprintable } from "../../render/terminal/style.ts";
import { addCommand, type Call, onRun } from "../../runtime/command.ts";
import { UsageError } from "../../runtime/failure.ts";
import type { Output } from "../../runtime/output.ts";
import { withOwner } from "../../runtime/vault.ts";
import { openSourceCredentials } from "./open-credentials.ts";
import { readCredentials } from "./read-credentials.ts";
import { formatRun } from "./source-text.ts";

interface SignInOptions {
  readonly passwordFile?: string;
  readonly oauth?: string;
  readonly clientId?: string;
  readonly clientSecretFile?: string;
  readonly issuer?: string;
  readonly scope?: string;
  readonly device?: boolean;
  readonly browser: boolean;
  readonly verify?: boolean;
}

export function addSignIn(group: Command): void {
  const signIn = addCommand(group, "sign-in <id>", "Save what a source signs in with, or renew it", [
    "pdpp source sign-in imap",
    "pdpp source sign-in imap --password-file secret.txt --verify",
    "pdpp source sign-in imap --oauth google --client-id ID --client-secret-file secret.txt",
  ])
    .option("--password-file <file>", "file with the password (default: ask, or read standard input)")
    .addOption(new Option("--oauth <provider>", "sign in at a provider instead").choices(providerNames))
    .option("--client-id <id>", "your own client at the provider")
    .option("--client-secret-file <file>", "file with the client's secret, if it has one")
    .option("--issuer <url>", "address of the provider, for a custom one or an organization's")
    .option("--scope <scope>", "what to ask for (default: what the connector needs)")
    .option("--device", "enter a code on another device instead of using a browser on this one")
    .option("--no-browser", "only print the address to open")
    .option("--verify", "collect from the source afterwards");
  onRun(signIn, ({ options, out, location }: Call<SignInOptions>, id: string) =>
    withOwner(location, async (owner) => {
      const source = await owner.sources.get(id);
      const credentials = openSourceCredentials(owner, location);
      const fields = await loadSignInFields(source, location.dataDir);
      const request = await describeOAuth(credentials, source, fields, options);
      if (request === undefined) await savePassword(credentials, source, fields, options);
      else await credentials.put(id, await signInWithOAuth(request, options, out));
      const key = await credentials.describeKey();
      out.remark(`Saved, sealed with the key in ${key?.place}.`);
      const renewed = await owner.sources.get(id);
      if (!options.verify) {
        out.result(renewed, () => `signed in to ${id}`);
        return 0;
      }
      const { dataDir, databaseUrl } = location;
      const run = await syncSource(owner, renewed, {
        dataDir,
        databaseUrl,
        mode: "incremental",
        env: process.env,
        credentials,
      });
      out.result(run, () => formatRun(run).join("\n"));
      return run.status === "succeeded" ? 0 : 1;
    }),
  );
}

async function savePassword(
  credentials: Credentials,
  { source_id: id }: SourceDocument,
  { fields }: SignInFields,
  options: SignInOptions,
): Promise<void> {
  if (fields.length === 0) throw new UsageError(`the connector of ${id} does not say what it signs in with`);
  const values = await readCredentials(fields, options.passwordFile);
  if (Object.keys(values).length === 0) throw new UsageError("no password was given; nothing was changed");
  await credentials.save(id, values);
}

/** A source that signed in at a provider before does so again, with the same client. */
async function describeOAuth(
  credentials: Credentials,
  source: SourceDocument,
  { connector, tokenVariable }: SignInFields,
  options: SignInOptions,
): Promise<SignInRequest | undefined> {
  const { oauth, passwordFile, clientId, clientSecretFile, issuer, scope } = options;
  if (oauth === undefined) {
    const idle = (["clientId", "clientSecretFile", "issuer", "scope", "device"] as const).find((name) => options[name]);
    if (idle !== undefined && source.sign_in !== "oauth") throw new UsageError("this needs --oauth PROVIDER");
    if (source.sign_in !== "oauth" || passwordFile !== undefined) return undefined;
    const saved = (await credentials.open(source.source_id))?.contents;
    if (saved?.method !== "oauth")
      throw new UsageError("the earlier sign-in is gone; name the provider again: --oauth PROVIDER --client-id ID");
    const { provider, variable, client_id, client_secret: clientSecret } = saved;
    return { provider, variable, issuer: saved.issuer, clientId: client_id, clientSecret, scope: saved.scope };
  }
  if (passwordFile !== undefined) throw new UsageError("use --oauth or --password-file, not both");
  if (clientId === undefined)
    throw new UsageError("--oauth needs --client-id ID; docs/collecting/signing-in.md says how to get one");
  if (tokenVariable === undefined) throw new UsageError(`the connector ${connector} takes no access token`);
  return {
    provider: oauth,
    issuer,
    clientId,
    clientSecret: clientSecretFile === undefined ? undefined : readSecretFile(clientSecretFile, "client's secret"),
    scope: scope ?? getScope(getProvider(oauth, issuer), oauth, connector),
    variable: tokenVariable,
  };
}

async function signInWithOAuth(request: SignInRequest, { device, browser }: SignInOptions, out: Output) {
  const stop = new AbortController();
  const cancel = (): void => stop.abort();
  process.once("SIGINT", cancel);
  const asked = { ...request, signal: stop.signal };
  // Also with --json, because the owner needs it to sign in.
  const tell = (text: string): void => void process.stderr.write(`${text}\n`);
  try {
    if (device)
      return await signInWithCode(asked, ({ userCode, url }) =>
        tell(`Open ${escapeUnprintable(url)} on any device and enter ${escapeUnprintable(userCode)}`),
      );
    return await signInWithBrowser(asked, (url) => {
      tell(`Open this address in a browser on this computer:\n${url}`);
      if (browser && !out.json) openBrowser(url);
    });
  } finally {
    process.off("SIGINT", cancel);
  }
}
