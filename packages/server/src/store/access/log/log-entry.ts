import { hash } from "node:crypto";
import { createRandomText } from "../../../random-text.ts";
import { defineColumns } from "../../engine/engine.ts";
import { parseStoredJson } from "../../engine/json.ts";
import { raw, type Sql, type SqlValue, sql } from "../../engine/sql.ts";

/** A read, a refusal or an action of the owner: who did it, what for and under which grant. Contains neither data nor tokens. */
export interface AccessEntry {
  /** 0 if no owner is known, for an unknown token. */
  readonly ownerNo: number;
  /** When the response was sent, or began to be. */
  readonly at: number;
  readonly requestId: string;
  readonly client: string;
  readonly grantIds: readonly string[];
  readonly operation: string;
  readonly connectionIds: readonly string[];
  readonly stream: string | null;
  readonly status: number;
  readonly records: number;
  readonly bytes: number;
  readonly kind?: EntryKind;
  readonly code?: string | undefined;
  /** The target of an action, if it is neither a grant nor a connection. */
  readonly subject?: string | undefined;
  readonly outcome?: EntryOutcome;
  readonly endedAt?: number | undefined;
  readonly times?: number | undefined;
  /** The records that were returned, as encoded by `log-versions.ts`. */
  readonly versions?: string | undefined;
  /** What was asked, as JSON of a `LoggedRequest`; null if that was deleted. */
  readonly request?: string | null | undefined;
}

type EntryKind = "read" | "refusal" | "act";
type EntryOutcome = "finished" | "running" | "cut" | "unfinished";

/** An entry is one row, or two for a long response: its beginning and its end. */
type Phase = "whole" | "begin" | "end";

export interface LogRow {
  entry_no: number;
  owner_no: number;
  at: number;
  request_id: string;
  client: string;
  grant_ids: string;
  operation: string;
  connection_ids: string;
  stream: string | null;
  status: number;
  records: number;
  bytes: number;
  kind: EntryKind;
  code: string | null;
  subject: string | null;
  outcome: EntryOutcome;
  ended_at: number | null;
  times: number;
  journal_id: string | null;
  journal_no: number | null;
  phase: Phase;
  hash: string | null;
  versions: string | null;
  /** Starts with a salt. */
  request: string | null;
  request_digest: string | null;
  /** Its number in its owner's log; null for entries from before owners had numbers of their own. */
  owner_entry_no: number | null;
  /** 1 for an entry that concerned no owner in particular and was moved into the first owner's log later. */
  was_unowned: number | null;
}

export const logColumns = defineColumns(
  "entry_no integer, owner_no integer, at number, request_id text, client text, grant_ids text, operation text",
  "connection_ids text, stream text, status integer, records integer, bytes integer, kind text, code text",
  "subject text, outcome text, ended_at number, times integer, journal_id text, journal_no integer, phase text",
  "hash text, versions text, request text, request_digest text, owner_entry_no integer, was_unowned integer",
);

/** The values in the order in which they are stored. */
export const getRowValues = (row: LogRow): SqlValue[] => logColumns.map(({ name }) => row[name]);

/** Covers the row and the hash of the previous one, so that changing, removing or inserting a row is detected at the next one. */
export function hashRow(before: string, row: LogRow): string {
  const values = hashedColumns.map(({ name }) =>
    name === "hash" ? before : name === "owner_no" ? getHashedOwner(row) : row[name],
  );
  // Rows without a value in the columns that came later are hashed as before these existed.
  while (values.length > columnsAtFirst && values.at(-1) === null) values.pop();
  return hash("sha256", JSON.stringify(values), "base64url");
}

/** The owner that a row had when it was hashed. None, for a moved row in a log into which it cannot have been moved. */
const getHashedOwner = ({ owner_no, was_unowned }: LogRow): number =>
  was_unowned === null ? owner_no : owner_no === firstOwnerNo ? 0 : -1;

const firstOwnerNo = 1;

/** A request can be deleted, so its digest is hashed instead. */
const hashedColumns = logColumns.filter(({ name }) => name !== "request" && name !== "was_unowned");
const columnsAtFirst = hashedColumns.findIndex(({ name }) => name === "hash") + 1;

/** Whether a column with JSON contains this id as a string. */
export const containsId = (column: "grant_ids" | "connection_ids" | "request", id: string): Sql =>
  sql`replace(${raw(column)}, ${JSON.stringify(id)}, '') <> ${raw(column)}`;

const saltBytes = 12;
const saltChars = 16;

/** The salt keeps the digest from confirming a guess once the request was deleted. */
function sealRequest(request: string): Pick<LogRow, "request" | "request_digest"> {
  const stored = `${createRandomText(saltBytes)}${request}`;
  return { request: stored, request_digest: digestRequest(stored) };
}

export const digestRequest = (stored: string): string => hash("sha256", stored, "base64url");

/** An entry that cannot be stored would block all later ones. */
const makeStorable = (text: string): string => String(text).replaceAll("\u0000", "").toWellFormed();

export function encodeEntry(
  entry: AccessEntry,
  place: { entryNo: number; journalId: string | null; journalNo: number | null; phase: Phase },
): LogRow {
  return {
    entry_no: place.entryNo,
    owner_no: entry.ownerNo,
    at: entry.at,
    request_id: makeStorable(entry.requestId),
    client: makeStorable(entry.client),
    grant_ids: JSON.stringify(entry.grantIds),
    operation: makeStorable(entry.operation),
    connection_ids: JSON.stringify(entry.connectionIds),
    stream: entry.stream === null ? null : makeStorable(entry.stream),
    status: entry.status,
    records: entry.records,
    bytes: entry.bytes,
    kind: entry.kind ?? "read",
    code: entry.code ?? null,
    subject: entry.subject === undefined ? null : makeStorable(entry.subject),
    outcome: entry.outcome ?? "finished",
    ended_at: entry.endedAt ?? null,
    times: entry.times ?? 1,
    journal_id: place.journalId,
    journal_no: place.journalNo,
    phase: place.phase,
    hash: null,
    owner_entry_no: null,
    was_unowned: null,
    versions: entry.versions ?? null,
    ...(typeof entry.request === "string"
      ? sealRequest(makeStorable(entry.request))
      : { request: null, request_digest: null }),
  };
}

export interface LoggedAccess extends AccessEntry {
  /** Its number in its owner's log. */
  readonly entryNo: number;
  readonly kind: EntryKind;
  readonly outcome: EntryOutcome;
}

export const getEntryNumber = (row: Pick<LogRow, "entry_no" | "owner_entry_no">): number =>
  row.owner_entry_no ?? row.entry_no;

export const decodeEntry = (row: LogRow): LoggedAccess => ({
  entryNo: getEntryNumber(row),
  ownerNo: row.owner_no,
  at: row.at,
  requestId: row.request_id,
  client: row.client,
  grantIds: parseStoredJson(row.grant_ids),
  operation: row.operation,
  connectionIds: parseStoredJson(row.connection_ids),
  stream: row.stream,
  status: row.status,
  records: row.records,
  bytes: row.bytes,
  kind: row.kind,
  outcome: row.outcome,
  ...(row.code === null ? {} : { code: row.code }),
  ...(row.subject === null ? {} : { subject: row.subject }),
  ...(row.ended_at === null ? {} : { endedAt: row.ended_at }),
  ...(row.times === 1 ? {} : { times: row.times }),
  ...(row.versions === null ? {} : { versions: row.versions }),
  ...(row.request_digest === null ? {} : { request: row.request === null ? null : row.request.slice(saltChars) }),
});
