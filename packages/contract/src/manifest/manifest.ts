import type { ConnectorDeclaration, JsonObject, StreamDeclaration } from "./declaration.ts";
import { InvalidManifestError, IssueList, isObject, quote } from "./manifest-issues.ts";
import { ObjectReader } from "./manifest-reader.ts";
import { readRelationships, type StreamDraft } from "./manifest-relationships.ts";
import { readStream, readStreamName } from "./manifest-stream.ts";

export { InvalidManifestError, type ManifestIssue } from "./manifest-issues.ts";
export { findForeignKeyHolder } from "./manifest-relationships.ts";
export { compileRecordCheck, type FieldNote, type RecordIssue as RecordFault } from "./manifest-schema.ts";

const PROTOCOL_VERSION = "0.1.0";
const CONNECTOR_KEY = /^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$/;

/** The largest published manifest has under 5,000 values, a dozen levels deep. */
const maxValues = 50_000;
const DEEPEST = 100;

type Identity = Omit<ConnectorDeclaration, "streams" | "manifest">;

/** Parses a connector manifest or a core SourceDeclaration. Throws `InvalidManifestError` with every error. */
export function parseManifest(json: unknown): ConnectorDeclaration {
  const faults = new IssueList();
  if (!isObject(json)) faults.add("$", "invalid", "a manifest must be an object");
  else checkSize(json, faults);
  if (!isObject(json) || faults.faults.length > 0) throw new InvalidManifestError(faults.faults);

  const declaration = readManifest(json, faults);
  if (declaration === undefined || faults.faults.length > 0) throw new InvalidManifestError(faults.faults);
  return declaration;
}

/** Parses a registered manifest. Rules added since then do not make the vault unreadable. */
export function parseStoredManifest(text: string): ConnectorDeclaration {
  const faults = new IssueList(true);
  const declaration = readManifest(JSON.parse(text), faults);
  if (declaration === undefined) throw new InvalidManifestError(faults.faults);
  return declaration;
}

function readManifest(json: JsonObject, faults: IssueList): ConnectorDeclaration | undefined {
  const reader = new ObjectReader(json, "$", faults);
  const isCore = reader.get("connector_id") === undefined && reader.get("source") !== undefined;
  const identity = isCore ? readSourceIdentity(reader) : readConnectorIdentity(reader);
  const streams = readStreams(reader);
  return identity && { ...identity, streams, manifest: json };
}

/** Later steps and JSON.stringify recurse, so reject what would overflow the stack, without recursion. */
function checkSize(json: JsonObject, faults: IssueList): void {
  let values = 0;
  let level: object[] = [json];
  for (let depth = 1; level.length > 0; depth++) {
    const below: object[] = [];
    for (const container of level) {
      for (const value of Object.values(container)) {
        values++;
        if (typeof value === "object" && value !== null) below.push(value);
      }
    }
    if (values > maxValues) faults.add("$", "invalid", `has more than ${maxValues} values`);
    if (depth > DEEPEST) faults.add("$", "invalid", `is nested more than ${DEEPEST} levels deep`);
    level = faults.faults.length > 0 ? [] : below;
  }
}

function readConnectorIdentity(reader: ObjectReader): Identity | undefined {
  const id = reader.readString("connector_id");
  const key = readConnectorKey(reader, id, "connector_id");
  const version = reader.requireString("version");
  const displayName = reader.readString("display_name");
  if (key === undefined || version === undefined) return undefined;
  return {
    connectorKey: key,
    connectorId: id || key,
    sourceKind: "connector",
    version,
    displayName: displayName || key,
  };
}

function readSourceIdentity(reader: ObjectReader): Identity | undefined {
  const protocol = reader.requireString("protocol_version");
  if (protocol !== undefined && protocol !== PROTOCOL_VERSION) {
    reader.refuse("protocol_version", `must be ${PROTOCOL_VERSION}`);
  }
  const source = reader.readObject("source");
  const kind = source?.requireString("kind");
  if (kind !== undefined && kind !== "connector" && kind !== "provider_native") {
    return source?.refuse("kind", "must be connector or provider_native");
  }
  const id = source?.requireString("id");
  if (id !== undefined && !/^[a-z][a-z0-9+.-]*:\S+$/i.test(id)) source?.refuse("id", "must be an absolute URI");
  const version = reader.requireString("declaration_version");
  const displayName = requireObject(reader, "display")?.requireString("name");
  requireObject(reader, "publisher")?.requireString("id");
  if (id === undefined) return undefined;
  const key = readConnectorKey(reader, id, "source");
  if (kind === undefined || key === undefined || version === undefined || displayName === undefined) return undefined;
  return { connectorKey: key, connectorId: id, sourceKind: kind, version, displayName };
}

function requireObject(reader: ObjectReader, key: string): ObjectReader | undefined {
  if (reader.get(key) === undefined) return reader.refuse(key, "is required");
  return reader.readObject(key);
}

function readConnectorKey(reader: ObjectReader, id: string | undefined, idKey: string): string | undefined {
  const said = reader.readString("connector_key");
  if (said !== undefined) {
    if (CONNECTOR_KEY.test(said)) return said;
    return reader.refuse("connector_key", `${quote(said)} must match ${CONNECTOR_KEY.source}`);
  }
  if (reader.get("connector_key") !== undefined) return undefined;
  if (!id) return reader.refuse("connector_key", `is required where there is no ${idKey}`);
  return (
    deriveKey(id) ?? reader.refuse(idKey, "has no last segment to take a connector_key from; give a connector_key")
  );
}

/** `https://registry.example/connectors/mail?v=2` becomes `mail`. */
function deriveKey(id: string): string | undefined {
  const segments = id.replace(/[?#].*$/s, "").split(/[/:]/);
  const last = segments.findLast((segment) => /[A-Za-z0-9]/.test(segment));
  return last
    ?.replace(/[^A-Za-z0-9._-]+/g, "-")
    .replace(/^[^A-Za-z0-9]+/, "")
    .slice(0, 128);
}

function readStreams(manifest: ObjectReader): StreamDeclaration[] {
  if (manifest.readArray("streams").length === 0) manifest.refuse("streams", "must list at least one stream");
  const drafts = new Map<string, StreamDraft | null>();
  const readers = new Map<string, ObjectReader>();
  for (const reader of manifest.readObjects("streams")) {
    const name = readStreamName(reader);
    const draft = readStream(reader, name ?? "");
    if (name === undefined) continue;
    if (drafts.has(name)) {
      manifest.faults.add(reader.pathTo("name"), "duplicate_stream_name", `${quote(name)} is declared twice`);
    } else {
      drafts.set(name, draft);
      readers.set(name, reader);
    }
  }
  checkPresets(manifest, drafts);
  return [...drafts].flatMap(([name, draft]) =>
    draft === null ? [] : { ...draft, relationships: readRelationships(readers.get(name)!, draft, drafts) },
  );
}

function checkPresets(manifest: ObjectReader, streams: ReadonlyMap<string, StreamDraft | null>): void {
  const ids = new Set<string>();
  for (const preset of manifest.readObjects("selection_presets")) {
    const id = preset.requireString("id");
    if (id !== undefined && ids.has(id)) {
      manifest.faults.add(preset.pathTo("id"), "duplicate_preset_id", `${quote(id)} is declared twice`);
    }
    if (id !== undefined) ids.add(id);
    const names = new Set<string>();
    for (const selection of preset.readObjects("streams")) {
      const name = selection.requireString("name");
      if (name === undefined) continue;
      if (names.has(name)) {
        manifest.faults.add(selection.pathTo("name"), "duplicate_preset_stream_name", `${quote(name)} is listed twice`);
      }
      names.add(name);
      const stream = streams.get(name);
      if (stream === undefined) {
        manifest.faults.add(
          selection.pathTo("name"),
          "unknown_stream",
          `${quote(name)} is not a stream of this manifest`,
        );
      } else if (stream !== null) checkPresetSelection(selection, stream);
    }
  }
}

function checkPresetSelection(selection: ObjectReader, stream: StreamDraft): void {
  const view = selection.readString("view");
  if (view !== undefined && !stream.views.some((candidate) => candidate.id === view)) {
    selection.faults.add(selection.pathTo("view"), "unknown_view", `${quote(view)} is not a view of the stream`);
  }
  for (const { value, path } of selection.readStrings("fields")) {
    if (stream.fields.some((field) => field.name === value)) continue;
    selection.faults.add(path, "unknown_schema_field", `${quote(value)} is not a field of the stream`);
  }
}
