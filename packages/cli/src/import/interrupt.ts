/** What a shell expects of a program that Ctrl-C ended. */
const interrupted = 130;

/**
 * Does the work, and says these words if Ctrl-C ends it. Nothing is tidied up: an import may be killed at any moment, and Ctrl-C is
 * one of the ways.
 */
export async function announceInterrupt<T>(words: string, work: () => Promise<T>): Promise<T> {
  const stop = () => {
    // A terminal shows ^C, and what was being looked through, on the line where it is.
    process.stderr.write(`${process.stderr.isTTY ? "\r\u001b[K" : ""}${words}\n`, () => process.exit(interrupted));
  };
  process.once("SIGINT", stop);
  try {
    return await work();
  } finally {
    process.off("SIGINT", stop);
  }
}
