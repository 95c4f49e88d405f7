import type { KeyProtection } from "@pdpp/contract/secrets";
import { type Command, Option } from "commander";
import { askHidden, hasTerminal, readSecretFile } from "../../input/secret-input.ts";
import { addCommand, type Call, onRun } from "../../runtime/command.ts";
import { confirm } from "../../runtime/confirm.ts";
import { UsageError } from "../../runtime/failure.ts";
import { withOwner } from "../../runtime/vault.ts";
import { openSourceCredentials, protections, rememberAnswer } from "./open-credentials.ts";

interface KeyOptions {
  readonly use?: KeyProtection;
  readonly passphraseFile?: string;
  readonly reset?: boolean;
  readonly yes?: boolean;
}

export function addKey(group: Command): void {
  const key = addCommand(group, "key", "Show or move the key that seals your sources' credentials", [
    "pdpp source key",
    "pdpp source key --use passphrase",
    "pdpp source key --reset",
  ])
    .addOption(new Option("--use <place>", "move the key there, and seal all credentials again").choices(protections))
    .option("--passphrase-file <file>", "with --use passphrase: file with the new passphrase")
    .option("--reset", "forget the key and all saved credentials")
    .option("--yes", "with --reset: skip the confirmation");
  onRun(key, ({ options, out, location }: Call<KeyOptions>) =>
    withOwner(location, async (owner) => {
      const { use, passphraseFile: file, reset, yes } = options;
      if (file !== undefined && use !== "passphrase") throw new UsageError("--passphrase-file needs --use passphrase");
      const credentials = openSourceCredentials(owner, location);
      if (reset) {
        await confirm("this deletes the saved credentials of all your sources, which then have to sign in again", yes);
        await owner.secrets.forget();
      } else if (use !== undefined) {
        const getPassphrase = rememberAnswer(() => chooseNewPassphrase(file));
        await credentials.protectWith(use, use === "passphrase" ? { getPassphrase } : {});
      }
      const held = await credentials.describeKey();
      out.result(
        { object: "source_key", ...held },
        () => held?.place ?? "No credentials are saved, so there is no key.",
      );
    }),
  );
}

async function chooseNewPassphrase(file: string | undefined): Promise<string> {
  if (file !== undefined) return readSecretFile(file, "passphrase");
  if (!hasTerminal()) throw new UsageError("--use passphrase needs --passphrase-file FILE, or a terminal to ask on");
  const passphrase = await askHidden("New passphrase: ");
  if (passphrase === "" || passphrase !== (await askHidden("Again: ")))
    throw new UsageError("the passphrases differ, or are empty; nothing was changed");
  return passphrase;
}
