import type { Command } from "commander";
import { formatSchema, formatSchemaTable, formatStreamsTable } from "../../render/schema.ts";
import { omitUndefined } from "../../runtime/command.ts";
import { UsageError } from "../../runtime/failure.ts";
import { addReadCommand, onRead, requireArguments } from "./reading.ts";

interface SchemaOptions {
  readonly view?: "compact" | "full";
  readonly stream?: string;
  readonly connectionId?: string;
}

export function addSchema(group: Command): void {
  const schema = addReadCommand(group, "schema", "[stream]", "Show the streams, fields and filters you can read", [
    "pdpp read schema",
    "pdpp read schema orders",
    "pdpp read schema http://127.0.0.1:7663 --json",
  ])
    .option("--view <view>", "compact or full (full needs a stream)")
    .option("--stream <name>", "same as the argument")
    .option("--connection-id <id>", "only this connection");
  onRead<SchemaOptions>(schema, async ({ api, options, out, words }) => {
    const [stream = options.stream] = requireArguments(words, ...(words.length === 0 ? [] : ["stream"]));
    if (options.stream !== undefined && stream !== options.stream)
      throw new UsageError(`two streams given, ${stream} and ${options.stream}; choose one`);
    const { view = out.format === "card" || out.format === "table" ? "compact" : undefined } = options;
    const document = await api.schema(omitUndefined({ view, stream, connection_id: options.connectionId }));
    out.show(document, { card: (to) => formatSchema(to, document), table: (to) => formatSchemaTable(to, document) });
  });
}

export function addStreams(group: Command): void {
  const streams = addReadCommand(group, "streams", "", "List streams with their record counts", [
    "pdpp read streams",
    "pdpp read streams --connection-id cin_mail --json",
  ])
    .option("--connection-id <id>", "only this connection")
    .option("--connector-instance-id <id>", "old name of --connection-id");
  onRead<{ connectionId?: string; connectorInstanceId?: string }>(streams, async ({ api, options, out, words }) => {
    requireArguments(words);
    const list = await api.streams(
      omitUndefined({ connection_id: options.connectionId ?? options.connectorInstanceId }),
    );
    out.show(list, { card: (view) => formatStreamsTable(view, list) });
  });
}
