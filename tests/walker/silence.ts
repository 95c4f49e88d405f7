import { captureOutput } from "@pdpp/test-support/cli/capture-output";
import { WalkFault } from "./walk.ts";

/** Work during which this process, the server in it included, prints nothing: what is not written cannot tell anything. */
export async function inSilence<T>(work: () => Promise<T>): Promise<T> {
  const { printed, restore } = captureOutput();
  try {
    const result = await work();
    const said = printed.stdout + printed.stderr;
    if (said !== "") throw new WalkFault(`the server printed ${JSON.stringify(said.slice(0, 2000))}`);
    return result;
  } finally {
    restore();
  }
}
