import { parseHandle, type RecordHandle } from "./handle.ts";

/**
 * URIs of records, field windows and blobs: `pdpp://KIND/` followed by base64url of compact JSON, or by a percent-encoded handle
 * for a record. A URI identifies something but grants nothing.
 */

interface FieldWindowName extends RecordHandle {
  readonly field: string;
  /** The selector of the window, as `readField` takes it. */
  readonly selector: { readonly [name: string]: string | number };
}

export type UriName =
  | { readonly kind: "record"; readonly name: RecordHandle }
  | { readonly kind: "field-window"; readonly name: FieldWindowName }
  | { readonly kind: "blob"; readonly name: { readonly connectionId: string; readonly blobId: string } };

const selectors = [
  "offset_chars",
  "end_chars",
  "limit_chars",
  "q",
  "before_chars",
  "after_chars",
  "cursor",
  "version",
] as const;

const encodeJson = (value: object): string =>
  btoa(String.fromCharCode(...new TextEncoder().encode(JSON.stringify(value))))
    .replaceAll("+", "-")
    .replaceAll("/", "_")
    .replaceAll("=", "");

function decodeJson(text: string): { readonly [key: string]: unknown } | null {
  try {
    const bytes = Uint8Array.from(atob(text.replaceAll("-", "+").replaceAll("_", "/")), (unit) => unit.charCodeAt(0));
    const value: unknown = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
    return typeof value === "object" && value !== null ? { ...value } : null;
  } catch {
    return null;
  }
}

const toRecordJson = ({ connectionId, stream, recordId }: RecordHandle) => ({
  connection_id: connectionId,
  stream,
  record_id: recordId,
});

export function formatUri(uri: UriName): string {
  if (uri.kind === "blob") {
    const { connectionId, blobId } = uri.name;
    return `pdpp://blob/${encodeJson({ v: 1, kind: "blob", connection_id: connectionId, blob_id: blobId })}`;
  }
  if (uri.kind === "record") return `pdpp://record/${encodeJson({ v: 1, kind: "record", ...toRecordJson(uri.name) })}`;
  const { field, selector } = uri.name;
  const named = { v: 1, kind: "field-window", ...toRecordJson(uri.name), field_path: field, ...selector };
  return `pdpp://field-window/${encodeJson(named)}`;
}

const isText = (value: unknown): value is string => typeof value === "string" && value !== "";

/** Null if the text is not a pdpp URI. */
export function parseUri(text: string): UriName | null {
  const [, kind, written] = /^pdpp:\/\/(record|field-window|blob)\/([^/?#]+)$/.exec(text) ?? [];
  if (kind === undefined || written === undefined) return null;
  const json = decodeJson(written);
  if (json === null) return kind === "record" ? parseHandleUri(written) : null;
  const { v, kind: said, connection_id: connectionId, stream, record_id: recordId } = json;
  if (v !== 1 || said !== kind || !isText(connectionId)) return null;
  if (kind === "blob") {
    return isText(json.blob_id) ? { kind, name: { connectionId, blobId: json.blob_id } } : null;
  }
  if (!isText(stream) || !isText(recordId)) return null;
  const record = { connectionId, stream, recordId };
  if (kind === "record") return { kind, name: record };
  if (!isText(json.field_path)) return null;
  const selector = Object.fromEntries(
    selectors.flatMap((name): [string, string | number][] => {
      const value = json[name];
      return typeof value === "string" || typeof value === "number" ? [[name, value]] : [];
    }),
  );
  return { kind: "field-window", name: { ...record, field: json.field_path, selector } };
}

function parseHandleUri(written: string): UriName | null {
  try {
    const name = parseHandle(decodeURIComponent(written));
    return name === null ? null : { kind: "record", name };
  } catch {
    return null;
  }
}
