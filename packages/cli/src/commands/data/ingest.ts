import type { IngestReport } from "@pdpp/contract/wire";
import type { Command } from "commander";
import { countBytes, openInput } from "../../input/input.ts";
import { showProgress } from "../../render/terminal/progress.ts";
import { escapeUnprintable } from "../../render/terminal/style.ts";
import { addTopCommand, type Call, onRun } from "../../runtime/command.ts";
import { withOwner } from "../../runtime/vault.ts";

const maxShown = 20;

export function addIngest(program: Command): void {
  const ingesting = addTopCommand(program, "ingest <connection-id> <stream> [file]", [
    "pdpp ingest notes-work notes notes.ndjson",
    `echo '{"data":{"id":"1","title":"Hello"}}' | pdpp ingest notes-work notes -`,
  ])
    .option("--progress", "without a terminal: print a JSON line on stderr after each batch")
    .addHelpText("after", "\nExit code 1 if a line was rejected; the other lines are stored.");
  onRun(
    ingesting,
    async (
      { options, out, location }: Call<{ progress?: boolean }>,
      connectionId: string,
      stream: string,
      file: string = "-",
    ) => {
      const report = await withOwner(location, async (owner) => {
        await owner.connections.get(connectionId);
        const input = await openInput(file);
        if (file === "-" && process.stdin.isTTY)
          out.remark("Reading records from the terminal, one per line. Press Ctrl-D to finish.");
        const bar = showProgress(
          `storing ${stream}`,
          input.sizeBytes,
          input.sizeBytes === undefined ? "records" : "bytes",
        );
        const bytes = input.sizeBytes === undefined ? input.bytes : countBytes(input.bytes, bar.update);
        const onStored = ({ records_accepted: accepted }: IngestReport) => {
          if (input.sizeBytes === undefined) bar.update(accepted);
          if (options.progress && !process.stderr.isTTY)
            process.stderr.write(`${JSON.stringify({ event: "stored", accepted })}\n`);
        };
        try {
          return await owner.records.ingest({ connection_id: connectionId, stream }, bytes, onStored);
        } finally {
          bar.stop();
        }
      });
      out.result(report, () => formatReport(report));
      if (report.records_rejected === 0) return 0;
      out.remark("The other lines are stored. Fix the rejected ones and ingest the file again.");
      return 1;
    },
  );
}

function formatReport(report: IngestReport): string {
  const {
    records_accepted: accepted,
    records_unchanged: unchanged,
    records_rejected: rejected,
    rejections,
    notes,
  } = report;
  const shown = rejections
    .slice(0, maxShown)
    .map(({ line, code, reason }) => `  line ${line}: ${code}: ${escapeUnprintable(reason)}`);
  const more = rejected - shown.length;
  return [
    `stored ${accepted - unchanged}, unchanged ${unchanged}, rejected ${rejected}`,
    ...shown,
    ...(more > 0 ? [`  and ${more} more; --json lists up to 1000`] : []),
    ...formatNotes(notes),
  ].join("\n");
}

function formatNotes(notes: IngestReport["notes"]): string[] {
  if (notes.length === 0) return [];
  const shown = notes.slice(0, maxShown).map(({ line, reason }) => `  line ${line}: ${escapeUnprintable(reason)}`);
  const more = notes.length - shown.length;
  return [
    "stored, but these dates are not valid and cannot be searched or sorted:",
    ...shown,
    ...(more > 0 ? [`  and ${more} more; --json lists up to 1000`] : []),
  ];
}
