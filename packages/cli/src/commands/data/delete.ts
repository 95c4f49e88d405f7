import { commandName } from "@pdpp/agent-setup/command-name";
import { PdppError } from "@pdpp/contract/errors";
import type { Command } from "commander";
import { addTopCommand, type Call, onRun } from "../../runtime/command.ts";
import { confirm } from "../../runtime/confirm.ts";
import { withOwner } from "../../runtime/vault.ts";

export function addDelete(program: Command): void {
  const deleting = addTopCommand(program, "delete <connection-id> <stream> [record-id]", [
    "pdpp delete notes-work notes n-17 --yes",
    "pdpp delete notes-work notes",
  ]).option("--yes", "skip the confirmation");
  onRun(
    deleting,
    ({ options, out, location }: Call<{ yes?: boolean }>, connectionId: string, stream: string, recordId?: string) =>
      withOwner(location, async (owner) => {
        const { connector_key: key, streams } = await owner.connections.get(connectionId);
        const held = streams.find(({ name }) => name === stream);
        if (held === undefined) {
          const known = streams.map(({ name }) => name).join(", ");
          const message = `connector ${key} has no stream ${JSON.stringify(stream)}; it has: ${known}`;
          throw new PdppError("not_found", message, { param: "stream" });
        }
        const what = recordId === undefined ? `all ${held.record_count} records` : `record ${recordId}`;
        await confirm(`this deletes ${what} of ${stream} in ${connectionId}`, options.yes);
        const place = { connection_id: connectionId, stream };
        const deletion = await owner.records.delete(recordId === undefined ? place : { ...place, record_id: recordId });
        out.result(deletion, () => `deleted ${deletion.records_deleted}`);
        if (deletion.records_deleted > 0) out.remark(`Earlier versions are kept until you run ${commandName} prune.`);
      }),
  );
}
