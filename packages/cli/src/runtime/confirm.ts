import { createInterface } from "node:readline/promises";
import { PdppError } from "@pdpp/contract/errors";
import { escapeUnprintable } from "../render/terminal/style.ts";
import { UsageError } from "./failure.ts";

/** Goes on only when the owner says so: on a terminal by an answer, elsewhere by --yes. */
export async function confirm(consequence: string, yes: boolean | undefined): Promise<void> {
  if (yes) return;
  if (!process.stdin.isTTY || !process.stderr.isTTY) {
    throw new UsageError(`${consequence}; add --yes to go ahead (there is no terminal to ask on)`);
  }
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  try {
    const answer = await new Promise<string>((resolve) => {
      // Ctrl-C and Ctrl-D close the terminal and leave the question unanswered.
      terminal.once("close", () => resolve(""));
      terminal.question(`${escapeUnprintable(consequence)}. Go on? [y/N] `).then(resolve, () => resolve(""));
    });
    if (!/^y(es)?$/i.test(answer.trim())) throw new PdppError("invalid_request", "not confirmed; nothing was changed");
  } finally {
    terminal.close();
  }
}
