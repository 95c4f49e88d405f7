import { PdppError } from "@pdpp/contract/errors";
import type { BlobContent, Input } from "@pdpp/contract/operations";
import { maxListedVersions } from "../../store/access/log/log-versions.ts";
import type { StreamScope } from "../../store/access/scope.ts";
import { findConnectionsUsing, findVersionsUsing } from "../../store/blobs/blob-access.ts";
import { loadBlobMetadata } from "../../store/blobs/blobs.ts";
import type { ReadContext } from "../context.ts";
import { createAmbiguousError, getStreams } from "../scope.ts";

/** A blob can be read only through a visible record that refers to it in a readable field. */
export async function readBlob(context: ReadContext, input: Input<"readBlob">, range?: string): Promise<BlobContent> {
  const { engine, blobs } = context.store;
  const streams = getStreams(context.scope, input.connection_id);
  const { ownerNo } = context.scope;
  const { found, versions, blob } = await engine.read(async (on) => {
    const using: StreamScope[] = [];
    const versions: number[] = [];
    for (const stream of streams) {
      const connections = await findConnectionsUsing(on, stream, input.blob_id);
      if (connections.length === 0) continue;
      using.push({ ...stream, connections });
      // One extra shows that the list is incomplete.
      versions.push(...(await findVersionsUsing(on, stream, input.blob_id, maxListedVersions + 1)));
    }
    const blob = using.length === 0 ? undefined : await loadBlobMetadata(on, ownerNo, input.blob_id);
    return { found: using, versions, blob };
  });
  if (blob === undefined)
    throw new PdppError("blob_not_found", "no record of this grant refers to such a blob", { param: "blob_id" });
  const connectionIds = [...new Set(found.flatMap(({ connections }) => connections.map(({ id }) => id)))];
  if (connectionIds.length > 1) throw createAmbiguousError("the blob", { able: found, unable: [] });
  const part = range === undefined ? undefined : parseByteRange(range, blob.sizeBytes);
  context.disclose({ connectionIds, stream: found[0]!.stream.declaration.name, records: 0, versions });
  return {
    status: part === undefined ? 200 : 206,
    mimeType: blob.mimeType,
    sizeBytes: blob.sizeBytes,
    ...(part === undefined ? {} : { range: part }),
    bytes: blobs.read(ownerNo, input.blob_id, part?.first ?? 0, part?.last ?? blob.sizeBytes - 1),
  };
}

/**
 * Parses a single byte range. Several ranges or an invalid one mean the whole blob, as HTTP allows. range-parser is not
 * used because it rejects a range that ends before it begins, which RFC 9110 says to ignore.
 */
function parseByteRange(header: string, size: number): { first: number; last: number } | undefined {
  const [, from = "", to = ""] = /^bytes=(\d*)-(\d*)$/.exec(header.trim()) ?? [];
  if (from === "" && to === "") return undefined;
  const first = from === "" ? Math.max(0, size - Number(to)) : Number(from);
  const last = from === "" || to === "" ? size - 1 : Math.min(Number(to), size - 1);
  if (from !== "" && to !== "" && Number(to) < first) return undefined;
  if (first >= size || (from === "" && Number(to) === 0)) {
    throw new PdppError("range_not_satisfiable", `the blob has ${size} bytes`, { param: "Range" });
  }
  return { first, last };
}
