import { createInterface } from "node:readline/promises";
import { PdppError } from "@pdpp/contract/errors";
import { escapeUnprintable } from "../render/terminal/style.ts";
import { UsageError } from "./failure.ts";

/** Throws unless the owner confirms on the terminal or with --yes. */
export async function confirm(consequence: string, yes: boolean | undefined): Promise<void> {
  if (yes) return;
  if (!process.stdin.isTTY || !process.stderr.isTTY) {
    throw new UsageError(`${consequence}; add --yes to confirm (no terminal to ask on)`);
  }
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  try {
    const answer = await new Promise<string>((resolve) => {
      // Ctrl-C and Ctrl-D close the terminal without an answer.
      terminal.once("close", () => resolve(""));
      terminal.question(`${escapeUnprintable(consequence)}. Continue? [y/N] `).then(resolve, () => resolve(""));
    });
    if (!/^y(es)?$/i.test(answer.trim())) throw new PdppError("invalid_request", "not confirmed; nothing was changed");
  } finally {
    terminal.close();
  }
}
