import type { Command } from "commander";
import { schemaTable, schemaText, streamsTable } from "../../render/schema.ts";
import { exactly, given, readCommand, reads, usage } from "./reading.ts";

interface SchemaOptions {
  readonly view?: "compact" | "full";
  readonly stream?: string;
  readonly connectionId?: string;
}

export function addSchema(group: Command): void {
  const schema = readCommand(group, "schema", "[stream]", "What you can read: streams, fields, filters", [
    "pdpp read schema",
    "pdpp read schema orders",
    "pdpp read schema http://127.0.0.1:7663 --json",
  ])
    .option("--view <view>", "compact or full (full needs a stream)")
    .option("--stream <name>", "the same as the argument")
    .option("--connection-id <id>", "only this connection");
  reads<SchemaOptions>(schema, async ({ api, options, out, words }) => {
    const [stream = options.stream] = exactly(words, ...(words.length === 0 ? [] : ["stream"]));
    if (options.stream !== undefined && stream !== options.stream)
      throw usage(`two streams, ${stream} and ${options.stream}; name one of them`);
    const { view = out.format === "card" || out.format === "table" ? "compact" : undefined } = options;
    const document = await api.schema(given({ view, stream, connection_id: options.connectionId }));
    out.show(document, { card: (to) => schemaText(to, document), table: (to) => schemaTable(to, document) });
  });
}

export function addStreams(group: Command): void {
  const streams = readCommand(group, "streams", "", "List streams with their record counts", [
    "pdpp read streams",
    "pdpp read streams --connection-id cin_mail --json",
  ])
    .option("--connection-id <id>", "only this connection")
    .option("--connector-instance-id <id>", "old name of --connection-id");
  reads<{ connectionId?: string; connectorInstanceId?: string }>(streams, async ({ api, options, out, words }) => {
    exactly(words);
    const list = await api.streams(given({ connection_id: options.connectionId ?? options.connectorInstanceId }));
    out.show(list, { card: (view) => streamsTable(view, list) });
  });
}
