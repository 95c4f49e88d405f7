import type { ProblemCode } from "@pdpp/contract/errors";
import type { AccessDocument } from "@pdpp/contract/owner";
import { html } from "hono/html";
import { operationWords } from "../agents/agents-page.ts";
import type { Html } from "../frame/frame.ts";
import type { Names } from "../frame/names.ts";
import { counted, said, sizeText } from "../frame/value-view.ts";

/** What an entry of the log says, in the owner's words. */

/** Of a token that nobody gave no name is known. */
export const clientWords = (client: string): string => (client === "-" ? "Somebody unknown" : client);

const outside = "this is not in its grant";
const unreadable = "it asked for something that makes no sense";
const absent = "there is no such thing";

/** Why somebody was refused, as the owner would say it. */
const refusals: Readonly<Record<ProblemCode, string>> = {
  authentication_error: "its token is unknown here",
  grant_revoked: "you revoked its grant",
  package_revoked: "you revoked its grant",
  grant_expired: "its grant has ended",
  grant_invalid: "its grant no longer holds",
  permission_error: "it may not do this",
  insufficient_scope: outside,
  grant_stream_not_allowed: outside,
  field_not_granted: outside,
  rate_limited: "it asked too often",
  query_too_heavy: "it asked for too much at once",
  resource_limit: "it asked for too much at once",
  headers_too_large: "it sent too much",
  request_timeout: "it took too long to ask",
  cursor_expired: "it came back too late for the rest",
  stale_window: "the text had changed while it read",
  ambiguous_connection: "it did not say which source it meant",
  ambiguous_schema_detail: "it did not say which source it meant",
  unsupported_version: "it speaks another version of the protocol",
  misdirected_request: "it called the server by a name that is not its own",
  method_not_allowed: unreadable,
  range_not_satisfiable: unreadable,
  field_not_text: "it wanted to read on in something that is no text",
  invalid_request: unreadable,
  invalid_argument: unreadable,
  invalid_cursor: unreadable,
  invalid_sort: unreadable,
  invalid_expand: unreadable,
  unknown_field: unreadable,
  invalid_field_path: unreadable,
  invalid_window: unreadable,
  invalid_record: "what it sent is no record",
  invalid_record_identity: "what it sent is no record",
  connector_invalid: "what it sent is no description of a source",
  invalid_grant_request: "what it asked to read makes no sense",
  connection_exists: "there is one already",
  connector_conflict: "there is one already",
  not_found: absent,
  stream_not_declared: absent,
  connection_not_found: absent,
  blob_not_found: absent,
  field_not_found: absent,
  query_not_found: absent,
  api_error: "something failed here, and it was no fault of its own",
  ingest_batch_storage_error: "the vault could not store it",
  unavailable: "the vault was not available",
};

const isKnown = (code: string): code is ProblemCode => Object.hasOwn(refusals, code);
const why = (code: string | undefined): string =>
  code === undefined ? "no reason was noted" : isKnown(code) ? refusals[code] : code;

const acts: Readonly<Record<string, string>> = {
  "grant.create": "gave a grant",
  "connector.add": "taught the vault a kind of source",
  "owner.add": "added an owner",
  "owner.rename": "renamed an owner",
  "owner.time-zone": "set the time zone",
  "owner.remove": "removed an owner",
  "owner.erase": "deleted everything",
  "grant.revoke": "revoked a grant",
  "grant.narrow": "narrowed a grant",
  "connection.add": "added a source",
  "connection.rename": "renamed a source",
  "connection.remove": "removed a source",
  "owner-token.create": "made a token for a program of yours",
  "owner-token.revoke": "revoked a token",
  "records.delete": "deleted records",
  "records.prune": "removed earlier versions",
  "log.gap": "could not keep some entries of this log",
  "log.prune": "removed old entries of this log",
  backup: "took a backup",
  export: "took a copy of every record",
  ingest: "stored records",
  putBlob: "stored a file",
  deleteRecord: "deleted a record",
  deleteRecords: "deleted records",
};

const isRefused = ({ kind, code, status }: AccessDocument): boolean =>
  kind === "refusal" || (kind === "read" && code !== undefined && status >= 400);

const ends: Readonly<Record<AccessDocument["outcome"], string>> = {
  finished: "",
  running: "under way",
  cut: "ended early",
  unfinished: "ended early",
};

export function whatHappened(entry: AccessDocument, names: Names): Html {
  const { operation, stream, connection_ids: sources, records, bytes, code, outcome, kind } = entry;
  const [source] = sources;
  const of =
    source === undefined
      ? ""
      : html` <span class="soft">${sources.length > 1 ? `${sources.length} sources` : said(names.source(source))}${stream === null ? "" : html` · ${said(names.stream(source, stream))}`}</span>`;
  if (isRefused(entry)) return html`<strong class="refused">was refused</strong>: ${why(code)}${of}`;
  const words = kind === "act" ? (acts[operation] ?? operation) : (operationWords[operation] ?? operation);
  const subject =
    kind === "act" && of === "" && entry.subject !== undefined
      ? html` <span class="soft">${said(entry.subject.slice(0, 200).toWellFormed())}</span>`
      : "";
  const more = [
    ...(records === 0 ? [] : [counted(records, "record")]),
    ...(kind === "act" && bytes > 0 ? [sizeText(bytes)] : []),
    ...(ends[outcome] === "" ? [] : [ends[outcome]]),
  ];
  return html`${words}${of}${subject}${more.map((each) => html` <span class="soft">· ${each}</span>`)}`;
}
