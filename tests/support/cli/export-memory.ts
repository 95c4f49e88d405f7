import { measureProcess, type ProcessMeasurements } from "../processes/measure-process.ts";
import { cleanEnvironment, pdppFile } from "./run-pdpp.ts";

/** Runs `pdpp read export` and returns the peak memory of its process. */
export async function measureExportMemory(
  server: { readonly env: Readonly<Record<string, string>> },
  options: readonly string[] = [],
): Promise<ProcessMeasurements & { lines: number; bytes: number }> {
  let lines = 0;
  let bytes = 0;
  const watched = await measureProcess(
    [pdppFile, "read", "export", ...options],
    cleanEnvironment(server.env),
    (chunk) => {
      bytes += chunk.length;
      for (let at = chunk.indexOf(10); at >= 0; at = chunk.indexOf(10, at + 1)) lines += 1;
    },
  );
  return { ...watched, lines, bytes };
}
