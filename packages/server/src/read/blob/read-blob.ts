import { PdppError } from "@pdpp/contract/errors";
import type { BlobContent, Input } from "@pdpp/contract/operations";
import { maxListedVersions } from "../../store/access/log-versions.ts";
import type { StreamScope } from "../../store/access/scope.ts";
import { findConnectionsUsing, findVersionsUsing } from "../../store/blobs/blob-access.ts";
import { loadBlobMetadata } from "../../store/blobs/blobs.ts";
import type { ReadContext } from "../context.ts";
import { ambiguous, streamsOf } from "../scope.ts";

/** Bytes are reachable only through a record that the scope sees, in a field that it may read. */
export async function readBlob(context: ReadContext, input: Input<"readBlob">, range?: string): Promise<BlobContent> {
  const { engine, blobs } = context.store;
  const streams = streamsOf(context.scope, input.connection_id);
  const { ownerNo } = context.scope;
  const { found, versions, blob } = await engine.read(async (on) => {
    const using: StreamScope[] = [];
    const versions: number[] = [];
    for (const stream of streams) {
      const connections = await findConnectionsUsing(on, engine, stream, input.blob_id);
      if (connections.length === 0) continue;
      using.push({ ...stream, connections });
      // One more than is listed shows that the list is not whole.
      versions.push(...(await findVersionsUsing(on, engine, stream, input.blob_id, maxListedVersions + 1)));
    }
    const blob = using.length === 0 ? undefined : await loadBlobMetadata(on, ownerNo, input.blob_id);
    return { found: using, versions, blob };
  });
  if (blob === undefined)
    throw new PdppError("blob_not_found", "no record of this grant refers to such a blob", { param: "blob_id" });
  const connectionIds = [...new Set(found.flatMap(({ connections }) => connections.map(({ id }) => id)))];
  if (connectionIds.length > 1) throw ambiguous("the blob", { able: found, unable: [] });
  const part = range === undefined ? undefined : byteRange(range, blob.sizeBytes);
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
 * One range of bytes; several, or anything that is not a range, mean the whole, as HTTP allows. By hand, because range-parser calls
 * a range that ends before it begins unsatisfiable, where RFC 9110 says to ignore it.
 */
function byteRange(header: string, size: number): { first: number; last: number } | undefined {
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
