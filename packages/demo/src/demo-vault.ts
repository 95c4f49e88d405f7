import { createReadStream, readFileSync } from "node:fs";
import type { JsonObject } from "@pdpp/contract/declaration";
import household from "../data/household.json" with { type: "json" };
import assistant from "../data/manifests/assistant.json" with { type: "json" };
import calendar from "../data/manifests/calendar.json" with { type: "json" };
import chat from "../data/manifests/chat.json" with { type: "json" };
import mail from "../data/manifests/mail.json" with { type: "json" };
import notes from "../data/manifests/notes.json" with { type: "json" };
import purchases from "../data/manifests/purchases.json" with { type: "json" };

/** One line of a stream's file, in the format that ingest accepts. */
export interface DemoRecord {
  key: string | string[];
  emitted_at: string;
  data: JsonObject;
}

export interface DemoBlob {
  name: string;
  mimeType: string;
  bytes: Uint8Array;
}

export interface DemoConnection {
  connectorKey: string;
  connectionId: string;
  label: string;
  streams: readonly string[];
}

export interface DemoVault {
  timeZone: string;
  manifests: readonly JsonObject[];
  connections: readonly DemoConnection[];
}

/** A year (November 2025 to October 2026) of an invented household, in seven connections. */
export const demoVault: DemoVault = {
  timeZone: household.time_zone,
  manifests: [mail, chat, calendar, purchases, assistant, notes],
  connections: household.connections.map(({ connector_key, connection_id, label, streams }) => ({
    connectorKey: connector_key,
    connectionId: connection_id,
    label,
    streams,
  })),
};

function dataUrl(path: string): URL {
  return new URL(`../data/${path}`, import.meta.url);
}

/** The stream's records as NDJSON. */
export function openStream(connectionId: string, stream: string): AsyncIterable<Uint8Array> {
  return createReadStream(dataUrl(`${connectionId}/${stream}.ndjson`));
}

export function* readRecords(connectionId: string, stream: string): Generator<DemoRecord> {
  const lines = readFileSync(dataUrl(`${connectionId}/${stream}.ndjson`), "utf8").split("\n");
  for (const line of lines) if (line !== "") yield JSON.parse(line) as DemoRecord;
}

/** The files that the connection's records refer to. */
export function* readBlobs({ connectionId, streams }: DemoConnection): Generator<DemoBlob> {
  for (const stream of streams)
    for (const { data } of readRecords(connectionId, stream)) {
      if (data.blob_ref === undefined) continue;
      const name = String(data.filename);
      yield { name, mimeType: String(data.mime_type), bytes: readFileSync(dataUrl(`${connectionId}/files/${name}`)) };
    }
}
