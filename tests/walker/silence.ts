import { WalkFault } from "./walk.ts";

const streams = ["stdout", "stderr"] as const;

/** Work during which this process, the server in it included, prints nothing: what is not written cannot tell anything. */
export async function inSilence<T>(work: () => Promise<T>): Promise<T> {
  const real = { stdout: process.stdout.write, stderr: process.stderr.write };
  let printed = "";
  for (const name of streams)
    process[name].write = ((chunk: string | Uint8Array) => {
      printed += typeof chunk === "string" ? chunk : Buffer.from(chunk).toString();
      return true;
    }) as never;
  try {
    const result = await work();
    if (printed !== "") throw new WalkFault(`the server printed ${JSON.stringify(printed.slice(0, 2000))}`);
    return result;
  } finally {
    for (const name of streams) process[name].write = real[name];
  }
}
