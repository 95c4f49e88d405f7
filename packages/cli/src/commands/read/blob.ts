import { createWriteStream, existsSync } from "node:fs";
import { rename, rm } from "node:fs/promises";
import { NoResponseError, PdppError } from "@pdpp/contract/errors";
import type { Command } from "commander";
import { countBytes } from "../../input/input.ts";
import { showProgress } from "../../render/terminal/progress.ts";
import { escapeUnprintable } from "../../render/terminal/style.ts";
import { omitUndefined } from "../../runtime/command.ts";
import { confirm } from "../../runtime/confirm.ts";
import { UsageError } from "../../runtime/failure.ts";
import { addReadCommand, onRead, requireArguments } from "./reading.ts";
import { pipeBytes } from "./write.ts";

interface BlobOptions {
  readonly output?: string;
  readonly connectionId?: string;
  readonly yes?: boolean;
}

export function addReadBlob(group: Command): void {
  const blob = addReadCommand(group, "blob", "<blob-id>", "Download a file that a record refers to", [
    "pdpp read blob blob_sha256_9c1e --output scan.pdf",
    "pdpp read blob blob_sha256_9c1e --connection-id cin_notes | wc -c",
  ])
    .option("--output <file>", "file to write")
    .option("--connection-id <id>", "connection, if several have this blob")
    .option("--yes", "overwrite an existing file without asking");
  onRead<BlobOptions>(blob, async ({ api, options, out, words }) => {
    const [blobId] = requireArguments(words, "blob-id") as [string];
    const { output } = options;
    if (output === undefined && options.json) throw new UsageError("--json needs --output FILE for the bytes");
    if (output === undefined && process.stdout.isTTY)
      throw new UsageError("cannot print binary data to a terminal; add --output FILE or pipe it to another program");
    if (output !== undefined && existsSync(output)) await confirm(`this overwrites ${output}`, options.yes);
    const content = await api.readBlob({ blob_id: blobId, ...omitUndefined({ connection_id: options.connectionId }) });
    const bytes = guardLength(content.bytes as unknown as AsyncIterable<Uint8Array>, content.sizeBytes);
    if (output === undefined) return pipeBytes(process.stdout, bytes);
    await saveToFile(output, bytes, content.sizeBytes);
    const document = {
      object: "blob",
      blob_id: blobId,
      mime_type: content.mimeType,
      size_bytes: content.sizeBytes,
      output,
    };
    out.show(document, {
      card: () => `${escapeUnprintable(output)}: ${escapeUnprintable(content.mimeType)}, ${content.sizeBytes} bytes`,
    });
  });
}

/** Writes to a .part file first, so that an incomplete file never has the final name. */
async function saveToFile(file: string, bytes: AsyncIterable<Uint8Array>, size: number): Promise<void> {
  const part = `${file}.part`;
  const bar = showProgress("reading", size, "bytes");
  try {
    await pipeBytes(createWriteStream(part), countBytes(bytes, bar.update), true);
    await rename(part, file);
  } catch (error) {
    await rm(part, { force: true });
    const { syscall, code, message } = error as NodeJS.ErrnoException;
    if (syscall === undefined || code === "EPIPE") throw error;
    throw new PdppError("invalid_argument", `cannot write ${file}: ${message}; choose another --output`);
  } finally {
    bar.stop();
  }
}

async function* guardLength(bytes: AsyncIterable<Uint8Array>, size: number): AsyncGenerator<Uint8Array> {
  let total = 0;
  try {
    for await (const chunk of bytes) {
      total += chunk.byteLength;
      yield chunk;
    }
  } catch {
    throw new NoResponseError(`download interrupted after ${total} of ${size} bytes; run the command again`);
  }
}
