import { toPagesUrl } from "@pdpp/server/pages-url";
import type { Command } from "commander";
import { defaultProviderUrl, normalizeProviderUrl } from "../../credentials/provider-url.ts";
import { addCommand, type Call, onRun } from "../../runtime/command.ts";
import { withOwner } from "../../runtime/vault.ts";

export function addSignIn(program: Command): void {
  const signingIn = addCommand(program, "sign-in", "Create a one-time link to sign in to the console", [
    "pdpp sign-in",
    "pdpp sign-in --url https://vault.example.org",
  ]).option("--url <url>", "address of the server", defaultProviderUrl);
  onRun(signingIn, async ({ options, out, location }: Call<{ url: string }>) => {
    const url = toPagesUrl(normalizeProviderUrl(options.url));
    const link = `${url}/sign-in#${await withOwner(location, ({ signIn }) => signIn.newCode())}`;
    out.result({ object: "sign_in_link", url: link, expires_in: 600 }, () => link);
    out.remark("Valid once, for 10 minutes. Anyone with this link can sign in as you.");
  });
}
