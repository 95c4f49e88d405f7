import { toPagesUrl } from "@pdpp/server/pages-url";
import type { Command } from "commander";
import { defaultProviderUrl, normalizeProviderUrl } from "../../credentials/provider-url.ts";
import { addCommand, type Call, onRun } from "../../runtime/command.ts";
import { withOwner } from "../../runtime/vault.ts";

export function addSignIn(program: Command): void {
  const signingIn = addCommand(program, "sign-in", "Make a link that signs a browser in to this vault's pages, once", [
    "pdpp sign-in",
    "pdpp sign-in --url https://vault.example.org",
  ]).option("--url <url>", "where the vault is served", defaultProviderUrl);
  onRun(signingIn, async ({ options, out, location }: Call<{ url: string }>) => {
    const url = toPagesUrl(normalizeProviderUrl(options.url));
    const link = `${url}/sign-in#${await withOwner(location, ({ signIn }) => signIn.newCode())}`;
    out.result({ object: "sign_in_link", url: link, expires_in: 600 }, () => link);
    out.remark("it works once, within ten minutes; whoever opens it is the owner");
  });
}
