import { join } from "node:path";
import { commandName } from "@pdpp/agent-setup/command-name";
import { PdppError } from "@pdpp/contract/errors";
import { toPagesUrl } from "@pdpp/server/pages-url";
import type { StoreLocation } from "@pdpp/server/store/store";
import type { Command } from "commander";
import { openBrowser } from "../../connect/open-browser.ts";
import { normalizeProviderUrl } from "../../credentials/provider-url.ts";
import { findVaultServer } from "../../doctor/running-server.ts";
import { addTopCommand, type Call, onRun, type VaultLocation } from "../../runtime/command.ts";
import { createSignInLink } from "../access/sign-in.ts";

interface OpenOptions {
  readonly url?: string;
  readonly browser: boolean;
  readonly dataDir?: string;
}

export function addOpen(program: Command): void {
  const opening = addTopCommand(program, "open", [
    "pdpp open",
    "pdpp open --data-dir ~/vault",
    "pdpp open --no-browser",
  ])
    .option("--url <url>", "address of the server (default: the one that serves this vault)")
    .option("--no-browser", "only print the link");
  onRun(opening, async ({ options, out, location }: Call<OpenOptions>) => {
    const { url, vault } = await findServer(location, options);
    const link = await createSignInLink(vault, url);
    if (options.browser) openBrowser(link);
    out.result({ object: "sign_in_link", url: link, expires_in: 600 }, () => link);
    out.remark("Valid once, for 10 minutes. Anyone with this link can sign in as you.");
  });
}

/** The server of this vault; without a chosen vault, also that of the demo. */
async function findServer(
  location: VaultLocation,
  { url, dataDir }: OpenOptions,
): Promise<{ readonly url: string; readonly vault: VaultLocation }> {
  if (url !== undefined) return { url: toPagesUrl(normalizeProviderUrl(url)), vault: location };
  const isChosen = dataDir !== undefined || location.databaseUrl !== undefined;
  const vaults = isChosen ? [location] : [location, { ...location, dataDir: getDemoFolder(location) }];
  for (const vault of vaults) {
    const running = await findVaultServer(vault.dataDir);
    if (running !== undefined) return { url: toPagesUrl(running), vault };
  }
  throw new PdppError("unavailable", "no server is running for this vault", {
    next_step: `start one with: ${commandName} serve; or name its address with --url`,
  });
}

/** The demo has its own folder unless the owner chooses a vault. */
export const getDemoFolder = ({ dataDir }: StoreLocation): string => join(dataDir, "demo");
