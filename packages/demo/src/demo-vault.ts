import { createReadStream, readFileSync } from "node:fs";
import type { JsonObject } from "@pdpp/contract/declaration";
import household from "../data/household.json" with { type: "json" };
import assistant from "../data/manifests/assistant.json" with { type: "json" };
import bank from "../data/manifests/bank.json" with { type: "json" };
import calendar from "../data/manifests/calendar.json" with { type: "json" };
import chat from "../data/manifests/chat.json" with { type: "json" };
import icalendar from "../data/manifests/icalendar.json" with { type: "json" };
import mail from "../data/manifests/mail.json" with { type: "json" };
import notes from "../data/manifests/notes.json" with { type: "json" };
import photos from "../data/manifests/photos.json" with { type: "json" };
import purchases from "../data/manifests/purchases.json" with { type: "json" };
import tracks from "../data/manifests/tracks.json" with { type: "json" };
import vcard from "../data/manifests/vcard.json" with { type: "json" };

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
  /** Streams with a file of earlier versions of some records. */
  earlier: readonly string[];
}

export interface DemoVault {
  timeZone: string;
  manifests: readonly JsonObject[];
  connections: readonly DemoConnection[];
}

/** A year (November 2025 to October 2026) of an invented household. */
export const demoVault: DemoVault = {
  timeZone: household.time_zone,
  manifests: [mail, chat, calendar, purchases, assistant, notes, icalendar, bank, vcard, photos, tracks],
  connections: household.connections.map(({ connector_key, connection_id, label, streams, earlier = [] }) => ({
    connectorKey: connector_key,
    connectionId: connection_id,
    label,
    streams,
    earlier,
  })),
};

function dataUrl(path: string): URL {
  return new URL(`../data/${path}`, import.meta.url);
}

/** The stream's records as NDJSON. */
export function openStream(connectionId: string, stream: string): AsyncIterable<Uint8Array> {
  return createReadStream(dataUrl(`${connectionId}/${stream}.ndjson`));
}

/** Earlier versions of the stream's records, to load before the stream itself. */
export const openEarlierVersions = (connectionId: string, stream: string): AsyncIterable<Uint8Array> =>
  openStream(connectionId, `${stream}.earlier`);

export function* readRecords(connectionId: string, stream: string): Generator<DemoRecord> {
  const lines = readFileSync(dataUrl(`${connectionId}/${stream}.ndjson`), "utf8").split("\n");
  for (const line of lines) if (line !== "") yield JSON.parse(line) as DemoRecord;
}

/** The files that the connection's records refer to. */
export function* readBlobs({ connectionId, streams }: DemoConnection): Generator<DemoBlob> {
  for (const stream of streams)
    for (const { data } of readRecords(connectionId, stream)) {
      if ((data.blob_ref ?? null) === null) continue;
      const name = String(data.filename ?? data.name);
      yield { name, mimeType: String(data.mime_type), bytes: readFileSync(dataUrl(`${connectionId}/files/${name}`)) };
    }
}
