import { PdppError } from "@pdpp/contract/errors";
import { deleteRecords, findConnection } from "@pdpp/server/ingest/owner";
import { placeNamed } from "@pdpp/server/owner/connection-named";
import { createReader } from "@pdpp/server/read/reader";
import type { Command } from "commander";
import { type Call, command, does } from "../command.ts";
import { confirm } from "../confirm.ts";
import { ownerNo, ownerScope, withVault } from "../vault.ts";

export function addDelete(program: Command): void {
  const deleting = command(
    program,
    "delete <connection-id> <stream> [record-id]",
    "Delete one record, or every record of a stream",
    ["pdpp delete notes-work notes n-17 --yes", "pdpp delete notes-work notes"],
  ).option("--yes", "do not ask");
  does(
    deleting,
    ({ options, out, location }: Call<{ yes?: boolean }>, connectionId: string, stream: string, recordId?: string) =>
      withVault(location, async (store) => {
        const { connectorKey } = await findConnection(store, ownerNo, connectionId);
        const scope = await ownerScope(store);
        const known = scope.streams
          .filter((held) => held.connectorKey === connectorKey)
          .map((held) => held.stream.declaration.name);
        if (!known.includes(stream)) {
          throw new PdppError(
            "not_found",
            `connector ${connectorKey} has no stream ${JSON.stringify(stream)}; it has: ${known.join(", ")}`,
            { param: "stream" },
          );
        }
        if (recordId === undefined) {
          const { data } = await createReader({ store, scope }).streams({ connection_id: connectionId });
          const count = data.find(({ name }) => name === stream)?.record_count ?? 0;
          await confirm(`this deletes all ${count} records of ${stream} in ${connectionId}`, options.yes);
        } else {
          await confirm(`this deletes record ${recordId} of ${stream} in ${connectionId}`, options.yes);
        }
        const deleted = await deleteRecords(
          store,
          await placeNamed(store, ownerNo, { connection_id: connectionId, stream }),
          recordId,
          Date.now(),
        );
        if (recordId !== undefined && deleted === 0) {
          throw new PdppError(
            "not_found",
            `there is no record ${JSON.stringify(recordId)} in ${stream} of ${connectionId}; pdpp export lists the ids`,
          );
        }
        const document = { object: "deletion", connection_id: connectionId, stream, records_deleted: deleted };
        out.result(
          recordId === undefined ? document : { ...document, record_id: recordId },
          () => `deleted ${deleted}`,
        );
        if (deleted > 0) out.remark("earlier versions are kept as history until pdpp prune forgets them");
      }),
  );
}
