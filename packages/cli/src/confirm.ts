import { createInterface } from "node:readline/promises";
import { PdppError } from "@pdpp/contract/errors";
import { UsageError, usageCode } from "./failure.ts";
import { harmless } from "./render/style.ts";

/** Goes on only when the owner says so: on a terminal by an answer, elsewhere by --yes. */
export async function confirm(consequence: string, yes: boolean | undefined, exitCode = usageCode): Promise<void> {
  if (yes) return;
  if (!process.stdin.isTTY || !process.stderr.isTTY) {
    throw new UsageError(
      `${consequence}; there is no terminal to ask on, so add --yes if that is what you want`,
      exitCode,
    );
  }
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  try {
    const answer = await new Promise<string>((resolve) => {
      // Ctrl-C and Ctrl-D close the terminal and leave the question unanswered.
      terminal.once("close", () => resolve(""));
      terminal.question(`${harmless(consequence)}. Go on? [y/N] `).then(resolve, () => resolve(""));
    });
    if (!/^y(es)?$/i.test(answer.trim()))
      throw new PdppError("invalid_request", "not confirmed, so nothing was changed; answer y to go on");
  } finally {
    terminal.close();
  }
}
