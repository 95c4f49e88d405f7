import { commandName } from "@pdpp/agent-setup/command-name";
import type { Command } from "commander";
import { beginConnecting, waitForAnswer } from "../../connect/attempt.ts";
import { openBrowser } from "../../connect/open-browser.ts";
import { reserveSlot } from "../../credentials/credential-slot.ts";
import { formatProperties } from "../../render/terminal/table.ts";
import { addTopCommand, type Call, onRun } from "../../runtime/command.ts";

interface ConnectFlags {
  readonly name: string;
  readonly open: boolean;
  readonly replace?: boolean;
  readonly cacheRoot?: string;
}

export function addConnect(program: Command): void {
  const connecting = addTopCommand(program, "connect <url>", [
    "pdpp connect http://localhost:7663",
    'pdpp connect https://vault.example.org --name "Backup of notes" --no-open',
  ])
    .option("--name <text>", "name shown to the owner", "pdpp on this computer")
    .option("--no-open", "do not open a browser; the owner can open the link on any device")
    .option("--replace", "replace the credential saved for this server")
    .option("--cache-root <dir>", "folder for the credential (default: ~/.pdpp)");
  onRun(connecting, async ({ options, out }: Call<ConnectFlags>, url: string) => {
    const slot = reserveSlot({ ...options, providerUrl: url });
    if (slot.warning !== undefined) out.remark(`warning: ${slot.warning}`);
    const attempt = await beginConnecting(slot.providerUrl, options.name);
    // Goes to stderr: with --json, stdout holds the result only, but the link is needed earlier.
    process.stderr.write(
      `${formatProperties(out.style, [
        ["open", attempt.approvalUrl],
        ["code", attempt.userCode],
      ])}\n`,
    );
    if (options.open && !out.json) openBrowser(attempt.approvalUrl);
    out.remark("Waiting for the owner's approval. Press Ctrl-C to cancel.");
    const { accessToken, expiresAt, packageId } = await waitForAnswer(attempt);
    slot.save({ accessToken, expiresAt, packageId });
    const document = { object: "connection_to_vault", provider_url: slot.providerUrl, path: slot.path };
    out.result({ ...document, ...(expiresAt === undefined ? {} : { expires_at: expiresAt }) }, (style) =>
      formatProperties(style, [
        ["connected", slot.providerUrl],
        ["until", expiresAt],
        ["saved to", slot.path],
        ["try", `${commandName} read streams --provider-url ${slot.providerUrl}`],
      ]),
    );
  });
}
