import { commandName } from "@pdpp/agent-setup/command-name";
import { PdppError } from "@pdpp/contract/errors";
import { toPagesUrl } from "@pdpp/server/pages-url";
import type { Command } from "commander";
import { defaultProviderUrl, normalizeProviderUrl } from "../../credentials/provider-url.ts";
import { findVaultServer } from "../../doctor/running-server.ts";
import { addTopCommand, type Call, onRun, type VaultLocation } from "../../runtime/command.ts";
import { hasVault, withOwner } from "../../runtime/vault.ts";

export function addSignIn(program: Command): void {
  const signingIn = addTopCommand(program, "sign-in", [
    "pdpp sign-in",
    "pdpp sign-in --url https://vault.example.org",
  ]).option(
    "--url <url>",
    `address of the server (default: the one that serves this vault, else ${defaultProviderUrl})`,
  );
  onRun(signingIn, async ({ options, out, location }: Call<{ url?: string }>) => {
    const url = options.url ?? (await findVaultServer(location.dataDir)) ?? defaultProviderUrl;
    const link = await createSignInLink(location, toPagesUrl(normalizeProviderUrl(url)));
    out.result({ object: "sign_in_link", url: link, expires_in: 600 }, () => link);
    out.remark("Valid once, for 10 minutes. Anyone with this link can sign in as you.");
  });
}

/** Creates no vault: a link to an empty one would only confuse. */
export async function createSignInLink(location: VaultLocation, url: string): Promise<string> {
  if (!hasVault(location))
    throw new PdppError("not_found", `there is no vault in ${location.dataDir}`, {
      next_step: `create one with: ${commandName} serve, or ${commandName} import FILE; or name its folder with --data-dir`,
    });
  return `${url}/sign-in#${await withOwner({ ...location, isUrgent: true }, ({ signIn }) => signIn.newCode())}`;
}
