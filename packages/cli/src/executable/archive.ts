import { createHash } from "node:crypto";
import { constants, zstdCompressSync, zstdDecompressSync } from "node:zlib";
import { parseJson } from "../input/parse-json.ts";

/** The files of the program: an index, and one compressed archive with their contents in the order of the index. */

export interface ArchivedFile {
  /** Relative, with slashes. */
  readonly path: string;
  readonly bytes: number;
  readonly sha256: string;
}

export interface ArchiveIndex {
  readonly version: string;
  /** Digest of the index, and so of all files. */
  readonly digest: string;
  readonly files: readonly ArchivedFile[];
}

const compressionLevel = 19;

export const hashBytes = (bytes: Uint8Array | string): string => createHash("sha256").update(bytes).digest("hex");

/** Returns the index as text, and the archive. */
export function buildArchive(
  version: string,
  files: readonly { readonly path: string; readonly content: Uint8Array }[],
): { readonly index: string; readonly archive: Uint8Array } {
  const listed = files.map(({ path, content }) => ({ path, bytes: content.length, sha256: hashBytes(content) }));
  return {
    index: JSON.stringify({ version, files: listed }),
    archive: zstdCompressSync(Buffer.concat(files.map(({ content }) => content)), {
      params: { [constants.ZSTD_c_compressionLevel]: compressionLevel },
    }),
  };
}

/** The index comes from the executable itself, so it is trusted. */
export function parseIndex(text: string): ArchiveIndex {
  const { version, files } = parseJson(text) as Pick<ArchiveIndex, "version" | "files">;
  return { version, files, digest: hashBytes(text) };
}

/** Throws if a file's content is not what the index says. */
export function* readArchive(
  { files }: ArchiveIndex,
  archive: Uint8Array,
): Generator<{ readonly file: ArchivedFile; readonly content: Uint8Array }> {
  const contents = zstdDecompressSync(archive);
  let at = 0;
  for (const file of files) {
    const content = contents.subarray(at, at + file.bytes);
    if (hashBytes(content) !== file.sha256) throw new Error(`${file.path} in the executable is damaged`);
    at += file.bytes;
    yield { file, content };
  }
}
