import { createHash } from "node:crypto";
import type { OperationName } from "@pdpp/contract/operations";
import type { Warning } from "@pdpp/contract/wire";
import { budget } from "@pdpp/evidence/sizes/budget";
import { formatEventTime } from "@pdpp/evidence/text/local-time";

/**
 * The content of a response, independent of its surface. Each surface has an adapter that parses its output into this
 * form.
 */

/** A read: an operation and its arguments, in the contract's names. */
export interface Call {
  readonly operation: OperationName;
  readonly input: { readonly [name: string]: unknown };
}

export interface Provenance {
  readonly connection_id: string;
  readonly connector_key: string;
  readonly display_name: string | undefined;
  readonly stream: string;
  readonly record_version: string;
  readonly event_time: string | undefined;
  /** The same as displayed. */
  readonly time: string | undefined;
  readonly emitted_at: string;
}

/** A field: in full, truncated, or only described. */
export interface Field {
  readonly path: string;
  readonly value?: unknown;
  readonly preview?: { readonly text: string; readonly end: number; readonly total: number };
  readonly encoded?: { readonly kind: string; readonly total: number };
  readonly blobs?: readonly { readonly type: string; readonly size: number }[];
  /** Reads of the rest. */
  readonly reads: readonly Call[];
  /** Reads of the bytes. */
  readonly bytes?: readonly Call[];
}

/** A nested card; its id says which record it belongs to. */
export interface Nested extends Pick<Card, "id" | "title" | "complete" | "fields" | "omitted" | "rest"> {
  readonly time: string | undefined;
}

export interface Related {
  readonly name: string;
  readonly cards: readonly Nested[];
  readonly more: boolean;
  readonly next?: Call;
}

export interface Card {
  readonly id: string;
  readonly title: string;
  readonly provenance: Provenance;
  readonly complete: boolean;
  readonly fields: readonly Field[];
  readonly omitted?: { readonly count: number; readonly read?: Call };
  /** The read that returns everything the card omits. */
  readonly rest?: Call | undefined;
  readonly related?: readonly Related[];
}

export interface Tombstone {
  readonly id: string;
  readonly deleted: string;
}

export interface Hit {
  readonly id: string;
  readonly title: string;
  readonly provenance: Omit<Provenance, "record_version" | "emitted_at" | "event_time">;
  /** Distinguishing values, by field. */
  readonly details: readonly Detail[];
  /** Matching passages and where to read on, except those shown as title or detail. */
  readonly passages: readonly Passage[];
  readonly read: Call;
  /** The start of the reply to a question. */
  readonly reply?: { readonly text: string; readonly truncated: boolean; readonly read: Call } | undefined;
  /** Near-duplicate hits collapsed into this one. */
  readonly similar?: { readonly count: number; readonly times: readonly unknown[]; readonly read: Call } | undefined;
}

export interface Detail {
  readonly path: string;
  readonly value: unknown;
  readonly unit: unknown;
  readonly truncated: boolean;
}

export interface Passage {
  readonly path: string;
  /** With highlights. */
  readonly preview: string;
  readonly before: boolean;
  readonly after: boolean;
}

export interface Window {
  readonly id: string;
  readonly provenance: Provenance;
  readonly path: string;
  readonly type: string;
  readonly start?: number;
  readonly end?: number;
  readonly total: number;
  readonly complete?: boolean;
  readonly match: readonly [number, number] | undefined;
  readonly text: string;
  readonly next?: Call | undefined;
  readonly previous?: Call | undefined;
}

/** A relationship with related records, and the read that lists them. */
export interface Link {
  readonly name: string;
  readonly count: number;
  readonly more: boolean;
  readonly read: Call;
}

export interface Document extends Card {
  readonly links: readonly Link[];
  /** URL of the page for people, or empty. */
  readonly url: string;
  readonly text: string;
  readonly cut: readonly { readonly path: string; readonly end: number; readonly total: number; readonly read: Call }[];
}

export interface NeutralAnswer {
  readonly error?: { readonly code: string; readonly candidates: readonly string[] };
  readonly records?: readonly (Card | Tombstone)[];
  readonly hits?: readonly Hit[];
  readonly count?: number | undefined;
  readonly window?: Window;
  readonly document?: Document;
  readonly number?: { readonly values: readonly Amount[]; readonly records: number };
  readonly groups?: { readonly counts: readonly unknown[]; readonly others: number; readonly records: number };
  /** Connector, stream, field and its capabilities. */
  readonly schema?: readonly string[];
  readonly connections?: readonly string[];
  /** A digest of bytes, or of the record that has them as base64. */
  readonly bytes?: string;
  readonly next?: Call | undefined;
  /** The same read, for later changes. */
  readonly later?: Call | undefined;
  readonly warnings?: readonly string[];
}

export const computeDigest = (bytes: string | Uint8Array): string => createHash("sha256").update(bytes).digest("hex");

/** Reads bytes over REST, as a client would with its token. */
export async function readBytesAt(url: string, token: string, address: string): Promise<Answer> {
  const response = await fetch(new URL(address, url), { headers: { authorization: `Bearer ${token}` } });
  const bytes = new Uint8Array(await response.arrayBuffer());
  if (address.startsWith("/v1/blobs/") && response.ok) return { said: { bytes: computeDigest(bytes) }, offers: [] };
  const body: Loose = JSON.parse(new TextDecoder().decode(bytes));
  if (!response.ok) return { said: { error: { code: body.error.code, candidates: [] } }, offers: [] };
  return { said: { bytes: computeDigest(JSON.stringify(body.data)) }, offers: [] };
}

/** A continuation as the surface writes it. */
export interface Offer {
  readonly call: Call;
  readonly spelled: string;
  follow(): Promise<Answer>;
}

export interface Answer {
  readonly said: NeutralAnswer;
  readonly offers: readonly Offer[];
}

export interface Surface {
  readonly name: string;
  ask(call: Call): Promise<Answer>;
  close(): Promise<void>;
}

/** JSON of any shape, since adapters parse the output of four surfaces. */
// biome-ignore lint/suspicious/noExplicitAny: see above
export type Loose = any;

/** Scalars become text. The view of a record and the default window size are up to each surface. */
export function normalize(operation: OperationName, input: { readonly [name: string]: unknown }): Call {
  const kept = Object.entries(input).filter(
    ([name, value]) =>
      value !== undefined &&
      !(operation === "search" && name === "collapse") &&
      !(name === "view" && (value === "evidence" || value === "document" || value === "compact")) &&
      !(operation === "readField" && name === "limit_chars" && String(value) === String(budget.window.chars)),
  );
  // Bookmarks and time-based cursors differ each time.
  const isMoment = (name: string) => name === "changes_since" || (name === "cursor" && hasMoments(operation, input));
  return {
    operation,
    input: Object.fromEntries(
      kept.map(([name, value]) => [
        name,
        isMoment(name) ? String(value).replace(/^[\w-]{40,}$/, "(a moment)") : asText(value),
      ]),
    ),
  };
}

const hasMoments = (operation: OperationName, input: { readonly [name: string]: unknown }): boolean =>
  operation === "search" || input.changes_since !== undefined;

const asText = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(asText);
  if (typeof value !== "object" || value === null) return String(value);
  return Object.fromEntries(Object.entries(value).map(([name, held]) => [name, asText(held)]));
};

/** Equal text for equivalent calls. */
export const formatKey = ({ operation, input }: Call): string =>
  JSON.stringify([operation, Object.entries(input).sort(([a], [b]) => (a < b ? -1 : 1))]);

export const sortByPath = (fields: readonly Field[]): Field[] => fields.toSorted((a, b) => (a.path < b.path ? -1 : 1));

export const normalizeWarnings = (warnings: readonly Warning[] | undefined): string[] =>
  (warnings ?? []).map(({ code }) => code).sort();

const normalizeTime = (value: unknown): string | undefined => (value === undefined ? undefined : String(value));

export const normalizeProvenance = (from: Loose): Provenance => ({
  connection_id: from.connection_id,
  connector_key: from.connector_key,
  display_name: from.display_name,
  stream: from.stream,
  record_version: from.record_version,
  event_time: normalizeTime(from.event_time),
  time: formatEventTime(from) ?? normalizeTime(from.event_time),
  emitted_at: from.emitted_at,
});

export const normalizeOrigin = (from: Loose): Hit["provenance"] => {
  const { record_version: _, emitted_at: __, event_time: ___, ...origin } = normalizeProvenance(from);
  return origin;
};

/** A card as every surface shows it: fields without their own reads, and one read for the rest. */
export function normalizeCard({ omitted, fields, ...card }: Card, rest: Call | undefined): Card {
  return {
    ...card,
    fields: fields.map((field) => ({ ...field, reads: [] })),
    ...(omitted === undefined ? {} : { omitted: { count: omitted.count } }),
    rest,
  };
}

export const normalizeNested = ({ id, title, complete, fields, omitted, rest, provenance }: Card): Nested => ({
  id,
  title,
  complete,
  fields,
  time: provenance.event_time,
  ...(omitted === undefined ? {} : { omitted }),
  rest,
});

/** Reads the rest of the only long text, or the record; none if only bytes are left. */
export function findRest({ id, provenance, fields, omitted }: Card): Call | undefined {
  const { connection_id, stream } = provenance;
  const record_id = id.slice(connection_id.length + stream.length + 2);
  const record = normalize("fetch", { connection_id, stream, record_id });
  const reads = [...fields.flatMap((field) => field.reads), ...(omitted?.read === undefined ? [] : [omitted.read])];
  return reads.length > 1 ? record : reads[0];
}

/** Removes highlight tags. */
export const removeMarks = (preview: string): string => preview.replaceAll(/<\/?mark>/g, "");

/** Passages shown below the head; one that equals the title or a detail is shown as that. */
export const listPassages = ({ title, evidence, evidence_excerpts: excerpts, details = [] }: Loose): Passage[] =>
  evidence
    .map((proof: Loose, i: number) => ({ ...proof, marked: excerpts[i].preview_text }))
    .filter(
      ({ field_path: path, preview, truncated }: Loose) =>
        truncated ||
        !(preview === title || details.some((each: Loose) => each.field_path === path && each.value === preview)),
    )
    .map(({ field_path: path, marked, window }: Loose): Passage => {
      const [before, after] = [window.start_chars > 0, window.end_chars < window.total_chars];
      return { path, preview: marked.slice(before ? 1 : 0, after ? -1 : undefined), before, after };
    });

/** A number with its unit, or one per unit. */
type Amount = readonly [value: unknown, unit: string | null];

export function normalizeAmounts({ value, unit, by_unit: units }: Loose): Amount[] {
  if (units === undefined) return [[value, unit ?? null]];
  // No other field may be mistaken for the number.
  if (value !== undefined && value !== null) throw new Error(`a value over several units: ${value}`);
  return units.map((each: Loose): Amount => [each.value, each.unit]);
}

/** A group with its count or total. */
export const normalizeGroup = ({ key, count, ...measured }: Loose): unknown =>
  measured.value === undefined && measured.by_unit === undefined
    ? [key, count]
    : [key, count, normalizeAmounts(measured)];
