import { findField, type Json, type JsonObject } from "@pdpp/contract/declaration";
import { PdppError } from "@pdpp/contract/errors";
import type { Input } from "@pdpp/contract/operations";
import type { FieldWindow, Warning } from "@pdpp/contract/wire";
import { getDeclaredEncoding } from "@pdpp/evidence/fields/binary";
import { getType, toText } from "@pdpp/evidence/fields/field";
import { type FieldPath, type FieldTarget, getValue, parseFieldTarget } from "@pdpp/evidence/fields/field-path";
import { countChars } from "@pdpp/evidence/text/text";
import { z } from "zod";
import { canRead, type StreamScope, wasVisible } from "../../store/access/scope.ts";
import type { ReadTransaction } from "../../store/engine/engine.ts";
import { parseJsonObject } from "../../store/engine/json.ts";
import { type LongText, loadOutline, maxWholeRecordUnits } from "../../store/records/long-text.ts";
import { findCurrentHead, findEarlierHead, loadData, type RecordHead } from "../../store/records/record-versions.ts";
import { createHeldText, createStoredText, type TextSource } from "../../store/records/text-source.ts";
import { createBinding, type ReadContext, type TooHeavy, tooHeavy } from "../context.ts";
import { createSealer, openCursor } from "../cursor.ts";
import { findRecordSource } from "../fetch/record-source.ts";
import { getReadableField } from "../records/conditions.ts";
import { findBlob, readBlobText, requireBlobField } from "./blob-field.ts";
import { type CutWindow, cutWindow } from "./cut-window.ts";
import { detectBytes, type EncodedSpans, treatAllAsBytes } from "./encoded-spans.ts";
import { buildFieldWindow, chooseLimits, describeSubject, isFieldIn, type WindowSubject } from "./window-answer.ts";
import { type MatchRequest, parseWindowRequest, type WindowPlace, type WindowRequest } from "./window-request.ts";

export async function readField(context: ReadContext, input: Input<"readField">): Promise<FieldWindow | TooHeavy> {
  if (input.field.includes("\0")) throw createPathError();
  const { asked, warnings } = parseWindowRequest(input);
  const prepare = (stream: StreamScope) => {
    const target = parseTarget(stream, input.field);
    const ofBlob = target.of === "blob" ? ["text"] : [];
    const binding = createBinding(stream, "window", [input.record_id, [...target.path], ...ofBlob]);
    return { target, binding, ...resolveWindow(context, binding, asked, input.version) };
  };
  const scope = await findRecordSource(context, input, prepare);
  const { binding, ...place } = prepare(scope);
  const { target } = place;
  const read: WindowRead = { context, scope, input, ...place };
  const found = await (target.of === "blob" ? cutFromBlob(read) : cutFromRecord(read));
  if (found === tooHeavy) return tooHeavy;
  const { subject, version, total, cut, warnings: ofText = [] } = found;
  context.disclose({ connectionIds: [subject.connection_id], stream: input.stream, records: 1, versions: [version] });
  const sealPosition = createSealer(context.keys, binding);
  const seal = ({ kind, at, limit }: WindowPlace) => sealPosition([subject.record_version, kind, at, limit]);
  return buildFieldWindow(input, subject, total, cut, seal, [...warnings, ...ofText]);
}

interface WindowRead {
  readonly context: ReadContext;
  readonly scope: StreamScope;
  readonly input: Input<"readField">;
  readonly target: FieldTarget;
  readonly version: string | undefined;
  readonly window: Window;
}

interface FoundWindow {
  readonly subject: WindowSubject;
  readonly version: number;
  readonly total: number;
  readonly cut: CutWindow;
  readonly warnings?: readonly Warning[];
}

async function cutFromRecord(read: WindowRead): Promise<FoundWindow | TooHeavy> {
  const { context, scope, target, window, input } = read;
  const readWith = (weight: "light" | "heavy"): Promise<FoundWindow | TooHeavy> =>
    context.store.engine.read(async (on) => {
      const found = await loadVersion(on, read);
      if (found === tooHeavy) return tooHeavy;
      const { head, content } = found;
      const text = await openText(on, context, scope, head, content, target.path, input.field);
      if (text === tooHeavy) return tooHeavy;
      const { source, type } = text;
      // Scanning a long text takes a while.
      if (source.isLong && window.kind === "match" && weight === "light") return tooHeavy;
      const [field, ...deeper] = target.path;
      const declared = findField(scope.stream.declaration, field);
      const isBytes =
        type === "string" && deeper.length === 0 && declared !== undefined && getDeclaredEncoding(declared) !== null;
      const subject = describeSubject(context, scope, target, head, content.data, { type });
      return cutFrom(read, source, head, subject, isBytes ? treatAllAsBytes(source) : detectBytes(source));
    }, weight);
  const light = await readWith("light");
  return light !== tooHeavy || context.isLightOnly ? light : readWith("heavy");
}

/** A blob never changes, so it is read after the transaction. */
async function cutFromBlob(read: WindowRead): Promise<FoundWindow | TooHeavy> {
  const { context, scope, target } = read;
  const found = await context.store.engine.read(async (on) => {
    const record = await loadVersion(on, read);
    if (record === tooHeavy) return tooHeavy;
    const { head, content } = record;
    const blob = await findBlob(on, context.store, scope, head, content.data, target.path);
    return { head, data: content.data, blob };
  });
  if (found === tooHeavy) return tooHeavy;
  const { head, data, blob } = found;
  const { source, isCut } = await readBlobText(context.store, scope.ownerNo, blob);
  const facts = { type: "string", blob_id: blob.id, media_type: blob.mediaType } as const;
  const reduced = blob.kind === "plain" ? facts : { ...facts, reduced: true as const };
  const warnings = isCut ? [createCutWarning(source.chars)] : [];
  return {
    ...(await cutFrom(
      read,
      source,
      head,
      describeSubject(context, scope, target, head, data, reduced),
      detectBytes(source),
    )),
    warnings,
  };
}

const createCutWarning = (chars: number): Warning => ({
  code: "partial_results",
  message: `the document is longer: its first ${chars} characters are read as text`,
});

async function cutFrom(
  { context, input, window }: WindowRead,
  source: TextSource,
  { version }: RecordHead,
  subject: WindowSubject,
  bytes: EncodedSpans,
): Promise<FoundWindow> {
  const { max_chars: maxChars } = input;
  const limits = maxChars === undefined ? {} : { limits: chooseLimits(context.measure, subject, maxChars) };
  const cut = await cutWindow(source, window, { bytes, ...limits });
  if (cut === null) throw createQueryNotFoundError(input.field);
  return { subject, version, total: source.chars, cut };
}

function parseTarget(scope: StreamScope, text: string): FieldTarget {
  const target = parseFieldTarget(text, isFieldIn(scope));
  if (target === null) throw createPathError();
  const [field] = target.path;
  // The owner can also read fields that the manifest does not declare.
  if (!canRead(scope, field)) getReadableField(scope, field, "field");
  if (target.of === "blob") requireBlobField(scope, field);
  return target;
}

const createPathError = (): PdppError =>
  new PdppError(
    "invalid_field_path",
    'field is a name, or a path such as a.b[0].c; a key with a dot, a bracket or a brace is written a["b.c"]',
    { param: "field" },
  );

const createQueryNotFoundError = (field: string): PdppError =>
  new PdppError("query_not_found", `field ${field} does not contain the words of q; read it without q`, { param: "q" });

type Window = WindowPlace | MatchRequest;

/** Opens the cursor, if there is one. It fixes the version and the limit. */
function resolveWindow(
  { keys }: ReadContext,
  binding: Json,
  asked: WindowRequest,
  version: string | undefined,
): { version: string | undefined; window: Window } {
  if (asked.kind !== "cursor") return { version, window: asked };
  const [bound, kind, at, limit] = sealedPlace.parse(openCursor(keys, binding, asked.cursor, "cursor"));
  const differs = (param: string, held: string | number): PdppError =>
    new PdppError("invalid_window", `the cursor already sets ${param}=${held}; leave ${param} out`, { param });
  if (version !== undefined && version !== bound) throw differs("version", bound);
  if (asked.limit !== null && asked.limit !== limit) throw differs("limit_chars", limit);
  return { version: bound, window: { kind, at, limit } };
}

/** Version, direction, position and limit. */
const sealedPlace = z.tuple([z.string(), z.enum(["from", "to"]), z.number(), z.number()]);

interface Content {
  readonly data: JsonObject;
  readonly long: readonly LongText[];
}

const getPlace = (scope: StreamScope, head: RecordHead) => ({
  ownerNo: scope.ownerNo,
  connectionNo: head.connection.no,
});

/**
 * The current record must be visible, and so must the requested version. The error is the same for a version that was
 * pruned, never existed or may not be seen.
 */
async function loadVersion(
  on: ReadTransaction,
  { context, scope, input: { record_id: recordId, cursor }, version }: WindowRead,
): Promise<{ head: RecordHead; content: Content } | TooHeavy> {
  const current = await findCurrentHead(on, scope, recordId);
  if (current === undefined) {
    const { name } = scope.stream.declaration;
    throw new PdppError("not_found", `stream ${name} has no record with that id in this grant`, { param: "record_id" });
  }
  if (version === undefined || version === String(current.revision)) {
    const content = await loadContent(on, context, scope, current);
    return content === tooHeavy ? tooHeavy : { head: current, content };
  }
  const revision = /^[1-9]\d{0,14}$/.test(version) ? Number(version) : 0;
  const head = await findEarlierHead(on, scope, recordId, revision);
  const content = head && (await loadContent(on, context, scope, head));
  if (content === tooHeavy) return tooHeavy;
  if (head !== undefined && content !== undefined && wasVisible(scope, [], content.data)) return { head, content };
  const param = cursor === undefined ? "version" : "cursor";
  throw new PdppError(
    "stale_window",
    `version ${version} of the record is no longer stored; the current version is ${current.revision}. ` +
      "Start over without cursor and version, and do not combine text of both versions",
    { param },
  );
}

async function loadContent(
  on: ReadTransaction,
  context: ReadContext,
  scope: StreamScope,
  head: RecordHead,
): Promise<Content | TooHeavy> {
  const outline =
    head.bytes <= maxWholeRecordUnits ? undefined : await loadOutline(on, getPlace(scope, head), head.version);
  if (outline !== undefined) return outline;
  const data = await loadWholeData(on, context, scope, head);
  return data === tooHeavy ? tooHeavy : { data, long: [] };
}

async function loadWholeData(
  on: ReadTransaction,
  context: ReadContext,
  scope: StreamScope,
  head: RecordHead,
): Promise<JsonObject | TooHeavy> {
  if (head.bytes > maxWholeRecordUnits && context.isLightOnly) return tooHeavy;
  return parseJsonObject(await loadData(on, scope, head));
}

const hasPrefix = (path: LongText["path"], start: LongText["path"]): boolean =>
  start.length <= path.length && start.every((step, i) => step === path[i]);

/** Opens the text at a path: a string, or any other value as JSON. A long text is read from where it is stored. */
async function openText(
  on: ReadTransaction,
  context: ReadContext,
  scope: StreamScope,
  head: RecordHead,
  { data, long }: Content,
  path: FieldPath,
  field: string,
): Promise<{ source: TextSource; type: FieldWindow["field"]["type"] } | TooHeavy> {
  const value = getValue(data, path);
  if (value === undefined)
    throw new PdppError("field_not_found", `the record has no value at ${field}`, { param: "field" });
  const type = getType(value);
  const textNo = long.findIndex((text) => hasPrefix(text.path, path));
  const chars = long[textNo]?.chars;
  if (chars !== undefined && type === "string")
    return { type, source: createStoredText(on, { ...getPlace(scope, head), version: head.version, textNo, chars }) };
  const whole = chars === undefined ? data : await loadWholeData(on, context, scope, head);
  if (whole === tooHeavy) return tooHeavy;
  const text = toText(getValue(whole, path) ?? value);
  return { type, source: createHeldText(text, countChars(text)) };
}
