import { PdppError } from "@pdpp/contract/errors";
import type { RetryRequest, RetryResult } from "@pdpp/contract/imports";
import { listConnections } from "../store/catalog/connections.ts";
import { lockOwner } from "../store/catalog/lock-owner.ts";
import { loadPart, updatePart } from "../store/imports/imports.ts";
import { takeRejected } from "../store/imports/rejected-items.ts";
import type { Store } from "../store/store.ts";
import { BatchTally, extractImportedTexts, storeAllStreams } from "./import-batch.ts";

class StillRejected extends Error {}

/** Stores the records of a formerly rejected item as part of its import: all of them, or none. */
export async function retryRejected(
  store: Store,
  ownerNo: number,
  mending: RetryRequest,
  now: number,
): Promise<RetryResult> {
  await extractImportedTexts(store, ownerNo, Number(mending.part_id), mending.records);
  try {
    return await store.engine.write(async (on): Promise<RetryResult> => {
      await lockOwner(on, ownerNo);
      const partNo = Number(mending.part_id);
      const part = await loadPart(on, ownerNo, partNo);
      const connection = (await listConnections(on, ownerNo)).find(({ no }) => no === part?.connectionNo);
      if (part === undefined || connection === undefined)
        throw new PdppError("connection_not_found", "the connection was removed during the retry");
      // An unfinished import still assigns numbers to rejected items.
      if (part.finishedAt === null)
        throw new PdppError("invalid_request", "the import has not finished; import the same files again first");
      const taken = await takeRejected(on, ownerNo, partNo, mending.number);
      if (taken === undefined) return { is_mended: false, reason: "it is no longer among the skipped items" };
      const outcome = new BatchTally(part.tally);
      const writing = {
        on,
        store,
        ownerNo,
        connection,
        part: { ...part, importerVersion: mending.importer_version },
        now,
      };
      await storeAllStreams(writing, mending.records, mending.merge, outcome);
      const [refused] = outcome.rejected;
      if (refused !== undefined) throw new StillRejected(refused.reason);
      for (const [stream, times] of Object.entries(mending.skipped)) outcome.count(stream, "skipped", times);
      outcome.count(taken.stream, "aside", -1);
      const tally = { ...outcome.tally(mending.blobs), mended: (part.tally.mended ?? 0) + 1 };
      await updatePart(on, ownerNo, partNo, { mark: null, tally });
      return { is_mended: true };
    });
  } catch (error) {
    if (error instanceof StillRejected) return { is_mended: false, reason: error.message };
    throw error;
  }
}
