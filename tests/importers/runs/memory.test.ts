import { spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
import { compileCacheEnv } from "@pdpp/test-support/processes/compile-cache";
import { chooseRuns } from "@pdpp/test-support/vitest/long-runs";
import { expect, it } from "vitest";
import { formats } from "#importers/formats/formats";

const script = fileURLToPath(new URL("./memory-process.ts", import.meta.url));
const megabytes = chooseRuns(6, 400);
const short = ["mail-files", "icalendar", "telegram", "apple-health"];

/** A process that may use little memory reads a file that is larger. */
function reads(format: string): Promise<{ code: number | null; said: string; complaint: string }> {
  const child = spawn(process.execPath, ["--max-old-space-size=20", script, format, String(megabytes)], {
    env: compileCacheEnv,
    stdio: ["ignore", "pipe", "pipe"],
  });
  let said = "";
  let complaint = "";
  child.stdout.on("data", (text) => {
    said += text;
  });
  child.stderr.on("data", (text) => {
    complaint += text;
  });
  return new Promise((resolve) => child.on("close", (code) => resolve({ code, said, complaint })));
}

/** The short run takes one format of each way to read: lines, blocks of lines, JSON and XML in pieces. */
const chosen = formats.map(({ key }) => key).filter((key) => chooseRuns(0, 1) === 1 || short.includes(key));

it.each(chosen)(`[IMP-9] %s: ${megabytes} MB are read with 20 MB of heap`, async (format) => {
  const { code, said, complaint } = await reads(format);
  expect([code, complaint.slice(0, 500)]).toEqual([0, ""]);
  expect(JSON.parse(said).records).toBeGreaterThan(2_000);
});
