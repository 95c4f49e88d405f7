const streams = ["stdout", "stderr"] as const;

/** What this process prints goes into `printed` until it is `restored`. */
export function captureOutput(): { readonly printed: { stdout: string; stderr: string }; restore(): void } {
  const printed = { stdout: "", stderr: "" };
  // Each command listens for the end of its output, and many of them run in this process.
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
