import { guessMimeType } from "@pdpp/importers/mime-types";
import type { Command } from "commander";
import { countBytes, openInput } from "../../input/input.ts";
import { showProgress } from "../../render/terminal/progress.ts";
import { addCommand, addTopCommand, type Call, onRun } from "../../runtime/command.ts";
import { withOwner } from "../../runtime/vault.ts";

export function addBlob(program: Command): void {
  const group = addTopCommand(program, "blob", ["pdpp blob add notes-work photo.jpg"]);
  const add = addCommand(
    group,
    "add <connection-id> <file>",
    "Store a file and print the blob_ref to put into a record",
    ["pdpp blob add notes-work photo.jpg", "pdpp blob add notes-work scan.bin --mime application/pdf"],
  ).option("--mime <type>", "media type (default: from the file name)");
  onRun(add, async ({ options, out, location }: Call<{ mime?: string }>, connectionId: string, file: string) => {
    const mime = options.mime ?? guessMimeType(file);
    const ref = await withOwner(location, async (owner) => {
      const input = await openInput(file);
      const bar = showProgress("storing", input.sizeBytes, "bytes");
      try {
        const place = { connection_id: connectionId, mime_type: mime };
        return await owner.blobs.put(place, countBytes(input.bytes, bar.update));
      } finally {
        bar.stop();
      }
    });
    out.result(ref, () => JSON.stringify(ref));
    out.remark("Put it into a record's blob reference field. Until then no grant can read it.");
  });
}
