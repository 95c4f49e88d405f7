import { type FileHandle, open } from "node:fs/promises";
import { PdppError } from "@pdpp/contract/errors";
import { UsageError } from "../../runtime/failure.ts";

const blockBytes = 64 * 1024;
const newline = 10;

/** Truncates a file to whole lines so that an export can continue, and returns the last line. An existing file needs `resume`. */
export async function truncateToWholeLines(file: string, resume: boolean): Promise<{ lastLine?: string }> {
  const opened = await open(file, "r+").catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return null;
    throw new PdppError("invalid_argument", `cannot write ${file}: ${error.message}; choose another --output`);
  });
  if (opened === null) return {};
  try {
    const { size } = await opened.stat();
    if (size === 0) return {};
    if (!resume) throw new UsageError(`${file} exists; add --resume to continue it, or choose another --output`);
    const end = await findNewlineBefore(opened, size);
    await opened.truncate(end + 1);
    if (end < 0) return {};
    const start = (await findNewlineBefore(opened, end)) + 1;
    const line = Buffer.alloc(end - start);
    await opened.read(line, 0, line.length, start);
    return { lastLine: line.toString() };
  } finally {
    await opened.close();
  }
}

/** Returns the position of the last newline before `place`, or -1. */
async function findNewlineBefore(file: FileHandle, place: number): Promise<number> {
  const block = Buffer.alloc(blockBytes);
  for (let to = place; to > 0; to -= blockBytes) {
    const from = Math.max(0, to - blockBytes);
    const { bytesRead } = await file.read(block, 0, to - from, from);
    const at = block.subarray(0, bytesRead).lastIndexOf(newline);
    if (at >= 0) return from + at;
  }
  return -1;
}
