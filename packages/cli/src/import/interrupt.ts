/** The exit code for a program ended by Ctrl-C. */
const interrupted = 130;

/** Prints `words` if Ctrl-C ends the work. There is no cleanup: an import can be killed at any time. */
export async function announceInterrupt<T>(words: string, work: () => Promise<T>): Promise<T> {
  const stop = () => {
    // Clears the line, which shows ^C and the progress.
    process.stderr.write(`${process.stderr.isTTY ? "\r\u001b[K" : ""}${words}\n`, () => process.exit(interrupted));
  };
  process.once("SIGINT", stop);
  try {
    return await work();
  } finally {
    process.off("SIGINT", stop);
  }
}
