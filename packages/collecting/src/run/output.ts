import type { Readable } from "node:stream";
import { readLines } from "@pdpp/server/ingest/lines";
import { ProtocolViolation } from "../protocol/violation.ts";
import { LimitExceeded, type RunLimits } from "./limits.ts";

/** The lines of a connector's output, with a limit for each and for all of them. */
export async function* readOutput(
  stdout: Readable,
  limits: Pick<RunLimits, "lineBytes" | "outputBytes">,
  onChunk: () => void,
): AsyncGenerator<string> {
  for await (const lines of readLines(countBytes(stdout, limits.outputBytes, onChunk), limits.lineBytes)) {
    for (const line of lines) {
      if ("fault" in line)
        throw new ProtocolViolation(
          line.fault === "invalid_utf8"
            ? "sent a line that is not UTF-8"
            : `sent a line of more than ${limits.lineBytes} bytes`,
        );
      if (line.text.trim() !== "") yield line.text;
    }
  }
}

async function* countBytes(stdout: Readable, maxBytes: number, onChunk: () => void): AsyncGenerator<Uint8Array> {
  let bytes = 0;
  for await (const chunk of stdout as AsyncIterable<Uint8Array>) {
    onChunk();
    bytes += chunk.byteLength;
    if (bytes > maxBytes) throw new LimitExceeded(`the connector sent more than ${maxBytes} bytes`);
    yield chunk;
  }
}
