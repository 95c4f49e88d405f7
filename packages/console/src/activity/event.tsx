import type { ProblemCode } from "@pdpp/contract/errors";
import type { AccessDocument } from "@pdpp/contract/owner";
import { isolateLabel } from "@pdpp/evidence/text/label";
import type { Html } from "../frame/frame.tsx";
import type { Names } from "../frame/names.ts";
import { formatBytes, formatCount, renderText } from "../frame/render/values.tsx";
import { findStream, listSources } from "./request-arguments.ts";
import { renderPhrase } from "./request-phrase.tsx";

/** Describes log entries for the owner. */

/** An unknown token has no client name. */
export const formatClient = (client: string): string => (client === "-" ? "Unknown client" : isolateLabel(client));

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
  "grant.restore": "restored access",
  "grant.narrow": "reduced access",
  "connection.add": "added a source",
  "connection.rename": "renamed a source",
  "connection.remove": "removed a source",
  "source.add": "started collecting a source",
  "source.pause": "paused a source",
  "source.resume": "resumed a source",
  "source.sign-in": "signed in to a source",
  "source.schedule": "changed when a source is collected",
  "source.remove": "stopped collecting a source",
  "owner-token.create": "created an API token",
  "owner-token.revoke": "revoked an API token",
  "search.save": "saved a search",
  "search.rename": "renamed a saved search",
  "search.remove": "removed a saved search",
  "records.delete": "deleted records",
  "records.prune": "deleted old versions",
  "log.gap": "lost some log entries",
  "log.prune": "deleted old log entries",
  "people.decide": "said who is who",
  "people.undo": "undid an answer about who is who",
  import: "imported data",
  backup: "downloaded a backup",
  export: "exported all records",
  ingest: "stored records",
  push: "sent data",
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

/** `isOpen` on the page of the entry itself, which needs no link. */
export function renderEvent(entry: AccessDocument, names: Names, isOpen = false): Html {
  const { operation, records, bytes, code, outcome, kind } = entry;
  const sources = listSources(entry);
  const [source] = sources;
  const stream = findStream(entry);
  const of =
    source === undefined ? (
      ""
    ) : (
      <>
        {" "}
        <span class="soft">
          {(kind === "read" || entry.request != null) && "in "}
          {sources.length > 1 ? `${sources.length} sources` : renderText(names.source(source))}
          {stream !== null && <> · {renderText(names.stream(source, stream))}</>}
        </span>
      </>
    );
  const canOpen = !isOpen && (kind === "read" || entry.request !== undefined);
  const href = canOpen ? `/activity/${entry.entry}` : isImport(entry) ? `/import/${entry.subject}` : undefined;
  const renderOpening = (words: Html | string): Html =>
    href === undefined ? (
      <>{words}</>
    ) : (
      <a class="opens" href={href}>
        {words}
      </a>
    );
  if (isRefused(entry))
    return (
      <>
        {renderOpening(<strong class="refused">was refused</strong>)}: {explainRefusal(code)}
        {entry.request != null && <> · tried to {renderPhrase(entry, names, "base")}</>}
        {of}
      </>
    );
  const words = kind === "act" ? (actionLabels[operation] ?? operation) : renderPhrase(entry, names);
  const subject = kind === "act" ? renderSubject(entry, names, of === "") : "";
  const more = [
    ...(records > 0 ? [formatCount(records, "record")] : isImport(entry) ? ["nothing new"] : []),
    ...(kind === "act" && bytes > 0 ? [formatBytes(bytes)] : []),
    ...(outcomeLabels[outcome] === "" ? [] : [outcomeLabels[outcome]]),
  ];
  return (
    <>
      {renderOpening(words)}
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

/** The log has the id of an import, which leads to its report. */
const isImport = ({ operation, subject }: AccessDocument): boolean =>
  operation === "import" && subject !== undefined && /^[\w-]{1,100}$/.test(subject);

/** The log names a source type by its key and version (`notes 1.1.0`). */
function renderSubject(entry: AccessDocument, names: Names, hasNoSource: boolean): Html | string {
  const { operation, subject } = entry;
  if (subject === undefined || isImport(entry) || !(hasNoSource || operation === "grant.create")) return "";
  const text = isolateLabel(subject, 200);
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
        {renderText(operation === "connector.add" ? names.connector(text.split(" ")[0] ?? text) : text)}
      </span>
    </>
  );
}
