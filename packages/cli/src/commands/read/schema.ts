import type { Command } from "commander";
import { schemaTable, schemaText, streamsTable } from "../../render/schema.ts";
import { exactly, given, readCommand, reads } from "./reading.ts";

interface SchemaOptions {
  readonly view?: "compact" | "full";
  readonly stream?: string;
  readonly connectionId?: string;
}

export function addSchema(group: Command): void {
  const schema = readCommand(group, "schema", "", "What you can read: streams, fields, filters", [
    "pdpp read schema",
    "pdpp read schema --stream orders",
    "pdpp read schema http://127.0.0.1:7663 --json",
  ])
    .option("--view <view>", "compact or full (full needs --stream)")
    .option("--stream <name>", "only this stream")
    .option("--connection-id <id>", "only this connection");
  reads<SchemaOptions>(schema, async ({ api, options, out, words }) => {
    exactly(words);
    const { view = out.format === "card" || out.format === "table" ? "compact" : undefined } = options;
    const document = await api.schema(given({ view, stream: options.stream, connection_id: options.connectionId }));
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
