import { type FileHandle, open } from "node:fs/promises";
import { PdppError } from "@pdpp/contract/errors";
import { usage } from "./reading.ts";

const blockBytes = 64 * 1024;
const newline = 10;

/** Makes a file end with a whole line, for an export to go on in; answers that line. A file that is there needs `resume`. */
export async function truncateToWholeLines(file: string, resume: boolean): Promise<{ lastLine?: string }> {
  const opened = await open(file, "r+").catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return null;
    throw new PdppError("invalid_argument", `cannot write ${file}: ${error.message}; choose another --output`);
  });
  if (opened === null) return {};
  try {
    const { size } = await opened.stat();
    if (size === 0) return {};
    if (!resume) throw usage(`${file} exists; add --resume to continue it, or choose another --output`);
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

/** Where the last line end before a place is; -1 when there is none. */
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
