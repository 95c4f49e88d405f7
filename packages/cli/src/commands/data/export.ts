import { PdppError } from "@pdpp/contract/errors";
import type { ConnectionDetail } from "@pdpp/contract/owner";
import type { WireRecord } from "@pdpp/contract/wire";
import type { Command } from "commander";
import { addTopCommand, type Call, omitUndefined, onRun } from "../../runtime/command.ts";
import { withOwner } from "../../runtime/vault.ts";
import { pipeText, toJsonList, toLines } from "../read/write.ts";

interface ExportOptions {
  readonly connection?: string;
  readonly stream?: string;
}

export function addExport(program: Command): void {
  const exporting = addTopCommand(program, "export", [
    "pdpp export > everything.ndjson",
    "pdpp export --connection notes-work --stream notes | gzip > notes.ndjson.gz",
  ])
    .option("--connection <id>", "only this connection")
    .option("--stream <name>", "only this stream");
  onRun(exporting, ({ options, out, location }: Call<ExportOptions>) =>
    withOwner(location, async (owner) => {
      const { connection } = options;
      checkStream(
        connection === undefined ? await owner.connections.list() : [await owner.connections.get(connection)],
        options.stream,
      );
      const records = (await owner.reader()).export(
        omitUndefined({ connection_id: connection, stream: options.stream }),
      );
      const texts = toJsonTexts(records);
      await pipeText(process.stdout, out.json ? toJsonList(texts) : toLines(texts));
    }),
  );
}

function checkStream(connections: readonly ConnectionDetail[], stream: string | undefined): void {
  if (stream === undefined) return;
  const names = [...new Set(connections.flatMap(({ streams }) => streams.map(({ name }) => name)))];
  if (names.includes(stream)) return;
  throw new PdppError(
    "not_found",
    `there is no stream ${JSON.stringify(stream)}; streams: ${names.join(", ") || "none yet"}`,
    { param: "stream" },
  );
}

async function* toJsonTexts(records: AsyncIterable<WireRecord>): AsyncGenerator<string> {
  for await (const record of records) yield JSON.stringify(record);
}
