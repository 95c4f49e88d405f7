const streams = ["stdout", "stderr"] as const;

/** Redirects this process's output into `printed` until `restore()` is called. */
export function captureOutput(): { readonly printed: { stdout: string; stderr: string }; restore(): void } {
  const printed = { stdout: "", stderr: "" };
  // Every command adds a listener to stdout, and many commands run in this process.
  for (const name of streams) process[name].setMaxListeners(0);
  const real = { stdout: process.stdout.write, stderr: process.stderr.write };
  for (const name of streams)
    process[name].write = ((chunk: string | Uint8Array) => {
      printed[name] += typeof chunk === "string" ? chunk : Buffer.from(chunk).toString();
      return true;
    }) as never;
  return {
    printed,
    restore() {
      for (const name of streams) process[name].write = real[name];
    },
  };
}
