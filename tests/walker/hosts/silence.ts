import { captureOutput } from "@pdpp/test-support/cli/capture-output";
import { WalkError } from "../walk.ts";

/** Runs work during which this process, including the server, must print nothing. */
export async function runSilently<T>(work: () => Promise<T>): Promise<T> {
  const { printed, restore } = captureOutput();
  try {
    const result = await work();
    const said = printed.stdout + printed.stderr;
    if (said !== "") throw new WalkError(`the server printed ${JSON.stringify(said.slice(0, 2000))}`);
    return result;
  } finally {
    restore();
  }
}
