import { humanize } from "@pdpp/consent/labels";
import type { ProblemCode } from "@pdpp/contract/errors";
import type { AccessDocument } from "@pdpp/contract/owner";
import { operationLabels } from "../agents/agents-page.tsx";
import type { Html } from "../frame/frame.tsx";
import type { Names } from "../frame/names.ts";
import { formatBytes, formatCount, renderText } from "../frame/render/values.tsx";

/** Describes log entries for the owner. */

/** An unknown token has no client name. */
export const formatClient = (client: string): string => (client === "-" ? "Unknown client" : client);

const outside = "not covered by its access";
const unreadable = "invalid request";
const absent = "not found";

const refusalReasons: Readonly<Record<ProblemCode, string>> = {
  authentication_error: "unknown token",
  grant_revoked: "access was revoked",
  package_revoked: "access was revoked",
  grant_expired: "access has expired",
  grant_invalid: "access is no longer valid",
  permission_error: "not allowed",
  insufficient_scope: outside,
  grant_stream_not_allowed: outside,
  field_not_granted: outside,
  rate_limited: "too many requests",
  query_too_heavy: "request too large",
  resource_limit: "request too large",
  headers_too_large: "headers too large",
  request_timeout: "request timed out",
  cursor_expired: "cursor expired",
  stale_window: "the text changed while it was reading",
  ambiguous_connection: "it didn't say which source it meant",
  ambiguous_schema_detail: "it didn't say which source it meant",
  unsupported_version: "unsupported protocol version",
  misdirected_request: "wrong host name",
  method_not_allowed: unreadable,
  range_not_satisfiable: unreadable,
  field_not_text: "the field is not text",
  invalid_request: unreadable,
  invalid_argument: unreadable,
  invalid_cursor: unreadable,
  invalid_sort: unreadable,
  invalid_expand: unreadable,
  unknown_field: unreadable,
  invalid_field_path: unreadable,
  invalid_window: unreadable,
  invalid_record: "invalid record",
  invalid_record_identity: "invalid record",
  connector_invalid: "invalid source type",
  invalid_grant_request: "invalid access request",
  connection_exists: "already exists",
  connector_conflict: "already exists",
  not_found: absent,
  stream_not_declared: absent,
  connection_not_found: absent,
  blob_not_found: absent,
  field_not_found: absent,
  query_not_found: absent,
  api_error: "server error",
  ingest_batch_storage_error: "the vault couldn't store it",
  unavailable: "the vault was unavailable",
};

const isKnown = (code: string): code is ProblemCode => Object.hasOwn(refusalReasons, code);
const explainRefusal = (code: string | undefined): string =>
  code === undefined ? "no reason recorded" : isKnown(code) ? refusalReasons[code] : code;

const actionLabels: Readonly<Record<string, string>> = {
  "grant.create": "connected",
  "connector.add": "added a source type",
  "owner.add": "added an owner",
  "owner.rename": "renamed an owner",
  "owner.time-zone": "set the time zone",
  "owner.remove": "removed an owner",
  "owner.erase": "deleted everything",
  "grant.revoke": "revoked access",
  "grant.narrow": "reduced access",
  "connection.add": "added a source",
  "connection.rename": "renamed a source",
  "connection.remove": "removed a source",
  "owner-token.create": "created an API token",
  "owner-token.revoke": "revoked an API token",
  "records.delete": "deleted records",
  "records.prune": "deleted old versions",
  "log.gap": "lost some log entries",
  "log.prune": "deleted old log entries",
  backup: "downloaded a backup",
  export: "exported all records",
  ingest: "stored records",
  putBlob: "stored a file",
  deleteRecord: "deleted a record",
  deleteRecords: "deleted records",
};

const isRefused = ({ kind, code, status }: AccessDocument): boolean =>
  kind === "refusal" || (kind === "read" && code !== undefined && status >= 400);

const outcomeLabels: Readonly<Record<AccessDocument["outcome"], string>> = {
  finished: "",
  running: "in progress",
  cut: "cut short",
  unfinished: "cut short",
};

export function renderEvent(entry: AccessDocument, names: Names): Html {
  const { operation, stream, connection_ids: sources, records, bytes, code, outcome, kind } = entry;
  const [source] = sources;
  const of =
    source === undefined ? (
      ""
    ) : (
      <>
        {" "}
        <span class="soft">
          {sources.length > 1 ? `${sources.length} sources` : renderText(names.source(source))}
          {stream !== null && <> · {renderText(names.stream(source, stream))}</>}
        </span>
      </>
    );
  if (isRefused(entry))
    return (
      <>
        <strong class="refused">was refused</strong>: {explainRefusal(code)}
        {of}
      </>
    );
  const words = kind === "act" ? (actionLabels[operation] ?? operation) : (operationLabels[operation] ?? operation);
  const subject = kind === "act" ? renderSubject(entry, of === "") : "";
  const more = [
    ...(records === 0 ? [] : [formatCount(records, "record")]),
    ...(kind === "act" && bytes > 0 ? [formatBytes(bytes)] : []),
    ...(outcomeLabels[outcome] === "" ? [] : [outcomeLabels[outcome]]),
  ];
  return (
    <>
      {words}
      {subject}
      {of}
      {more.map((each) => (
        <>
          {" "}
          <span class="soft">· {each}</span>
        </>
      ))}
    </>
  );
}

/** The log names a source type by its key and version (`notes 1.1.0`). */
function renderSubject({ operation, subject }: AccessDocument, hasNoSource: boolean): Html | string {
  if (subject === undefined || !(hasNoSource || operation === "grant.create")) return "";
  const text = subject.slice(0, 200).toWellFormed();
  if (operation === "grant.create")
    return (
      <>
        {" "}
        <strong>{renderText(text)}</strong>
      </>
    );
  return (
    <>
      {" "}
      <span class="soft">
        {renderText(operation === "connector.add" ? humanize(text.split(" ")[0] ?? text) : text)}
      </span>
    </>
  );
}
