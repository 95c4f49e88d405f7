import { fieldOf, type Json, type JsonObject } from "@pdpp/contract/declaration";
import { PdppError } from "@pdpp/contract/errors";
import type { Input } from "@pdpp/contract/operations";
import type { FieldWindow } from "@pdpp/contract/wire";
import { declaredEncoding } from "@pdpp/evidence/binary";
import { textOf } from "@pdpp/evidence/field";
import { type FieldPath, type FieldTarget, parseFieldTarget, valueAt } from "@pdpp/evidence/field-path";
import { charLength } from "@pdpp/evidence/text";
import { mayRead, type StreamScope, wasVisible } from "../store/access/scope.ts";
import type { Reading } from "../store/engine/engine.ts";
import { type LongText, outlineOf, wholeRecordUnits } from "../store/records/long-text.ts";
import { currentHead, dataOf, earlierHead, type RecordHead } from "../store/records/record-versions.ts";
import { blobAt, mustHoldBlobs } from "./blob-field.ts";
import { textOfBlob } from "./blob-text.ts";
import { bindingOf, type ReadContext } from "./context.ts";
import { openCursor, sealCursor } from "./cursor.ts";
import { cutWindow, type Placed } from "./cut-window.ts";
import { encodedIn } from "./encoded-in.ts";
import { oneConnection } from "./scope.ts";
import { heldText, storedText, type TextSource } from "./text-source.ts";
import { described, type Found, isFieldOf } from "./window-answer.ts";
import { type CursorAsked, type MatchAsked, type WindowAsked, windowAsked } from "./window-request.ts";

/** A window over the text of one field, at the current version of its record or at one that is still kept. */
export async function readField(context: ReadContext, input: Input<"readField">): Promise<FieldWindow> {
  if (input.field.includes("\0")) throw notAPath();
  const { asked, warnings } = windowAsked(input);
  const scope = oneConnection(context.scope, input.stream, input.connection_id);
  const target = targetFrom(scope, input.field);
  const ofBlob = target.of === "blob" ? ["text"] : [];
  const binding = bindingOf(scope, "field-window", [input.record_id, [...target.path], ...ofBlob]);
  const { version, window } = pinned(context, binding, asked, input.version);
  const found = await (target.of === "blob" ? foundInBlob : foundInRecord)(
    context,
    scope,
    input,
    target.path,
    version,
    window,
  );
  context.disclose({ connectionIds: [found.head.connection.id], stream: input.stream, records: 1 });
  const seal = ({ start, limit, exactly }: Placed) =>
    sealCursor(context.keys, binding, [String(found.head.revision), start, limit, exactly]);
  return described(scope, input, target, found, seal, warnings);
}

async function foundInRecord(
  context: ReadContext,
  scope: StreamScope,
  input: Input<"readField">,
  path: FieldPath,
  version: string | undefined,
  window: Window,
): Promise<Found> {
  const read = (scanning: boolean) =>
    context.store.engine.read(
      async (on) => {
        const { head, content } = await contentAt(on, context, scope, input, version);
        const { source, type } = await textAt(on, scope, head, content, path, input.field);
        // Looking through a long text takes a while, and is done beside the light reads.
        if (source.isLong && window.kind === "match" && !scanning) return null;
        const cut = await cutWindow(source, window);
        if (cut === null) throw notFoundInText(input.field);
        const declared = fieldOf(scope.stream.declaration, path[0]);
        const whole =
          type === "string" && path.length === 1 && declared !== undefined && declaredEncoding(declared) !== null;
        const encoded = whole ? [{ start_chars: 0, end_chars: source.chars }] : await encodedIn(source, cut);
        return { head, data: content.data, total: source.chars, facts: { type }, cut, encoded };
      },
      scanning ? "heavy" : "light",
    );
  return (await read(false)) ?? (await read(true))!;
}

/** Bytes are never replaced under their name, so they are read after the look at the record, and nothing waits for it. */
async function foundInBlob(
  context: ReadContext,
  scope: StreamScope,
  input: Input<"readField">,
  path: FieldPath,
  version: string | undefined,
  window: Window,
): Promise<Found> {
  const { head, data, blob } = await context.store.engine.read(async (on) => {
    const { head, content } = await contentAt(on, context, scope, input, version);
    const blob = await blobAt(on, context.store, scope, head, content.data, path);
    return { head, data: content.data, blob };
  });
  const source = await textOfBlob(blob);
  const cut = await cutWindow(source, window);
  if (cut === null) throw notFoundInText(input.field);
  const facts = { type: "string", blob_id: blob.id, media_type: blob.mediaType } as const;
  const encoded = await encodedIn(source, cut);
  const reduced = blob.kind === "html" ? { ...facts, reduced: true as const } : facts;
  return { head, data, total: source.chars, cut, facts: reduced, encoded };
}

function targetFrom(scope: StreamScope, text: string): FieldTarget {
  const target = parseFieldTarget(text, isFieldOf(scope));
  if (target === null) throw notAPath();
  const [field] = target.path;
  if (!mayRead(scope, field)) {
    const { name } = scope.stream.declaration;
    throw new PdppError("field_not_granted", `the grant does not include field ${field} of stream ${name}`, {
      param: "field",
    });
  }
  if (target.of === "blob") mustHoldBlobs(scope, field);
  return target;
}

const notAPath = (): PdppError =>
  new PdppError(
    "invalid_field_path",
    'field is a name, or a path such as a.b[0].c; a key with a dot, a bracket or a brace is written a["b.c"]',
    { param: "field" },
  );

const notFoundInText = (field: string): PdppError =>
  new PdppError("query_not_found", `field ${field} does not hold what q asks for; read it without q`, { param: "q" });

type Window = Placed | MatchAsked;

/** The place a request means and the version it is bound to, if it is. */
function pinned(
  context: ReadContext,
  binding: Json,
  asked: WindowAsked,
  version: string | undefined,
): { version: string | undefined; window: Window } {
  if (asked.kind === "match") return { version, window: asked };
  if (asked.kind === "place") return { version, window: { ...asked, kind: "placed", exactly: null } };
  return openedCursor(context, binding, asked, version);
}

function openedCursor(
  { keys }: ReadContext,
  binding: Json,
  asked: CursorAsked,
  version: string | undefined,
): { version: string; window: Placed } {
  const opened = openCursor(keys, binding, asked.cursor, "cursor") as [string, number, number, number | null];
  const [bound, start, limit, exactly] = opened;
  const differs = (param: string, held: string | number): PdppError =>
    new PdppError("invalid_window", `the cursor is bound to ${param}=${held}; leave ${param} out`, { param });
  if (version !== undefined && version !== bound) throw differs("version", bound);
  if (asked.limit !== null && asked.limit !== limit) throw differs("limit_chars", limit);
  return { version: bound, window: { kind: "placed", start, limit, exactly } };
}

/** A record's data; of a long record without the long texts. */
interface Content {
  readonly data: JsonObject;
  readonly long: readonly LongText[];
}

const placeOf = (scope: StreamScope, head: RecordHead) => ({
  ownerNo: scope.ownerNo,
  connectionNo: head.connection.no,
});

/**
 * The record must be visible as it is now, whatever version is asked for; an earlier version must have been visible by itself,
 * and one that is not kept, never was or may not be seen are told apart by nobody.
 */
async function contentAt(
  on: Reading,
  { store }: ReadContext,
  scope: StreamScope,
  { record_id: recordId, cursor }: Input<"readField">,
  version: string | undefined,
): Promise<{ head: RecordHead; content: Content }> {
  const current = await currentHead(on, store.engine.dialect, scope, recordId);
  if (current === undefined) {
    const { name } = scope.stream.declaration;
    throw new PdppError("not_found", `stream ${name} has no record with that id in this grant`, { param: "record_id" });
  }
  if (version === undefined || version === String(current.revision)) {
    return { head: current, content: await contentOf(on, scope, current) };
  }
  const revision = /^[1-9]\d{0,14}$/.test(version) ? Number(version) : 0;
  const head = await earlierHead(on, scope, recordId, revision);
  const content = head && (await contentOf(on, scope, head));
  if (head !== undefined && content !== undefined && wasVisible(scope, [], content.data)) return { head, content };
  const param = cursor === undefined ? "version" : "cursor";
  throw new PdppError(
    "stale_window",
    `version ${version} of the record is not kept; it is at version ${current.revision} now. ` +
      "Start over without cursor and version, and do not join windows of both",
    { param },
  );
}

async function contentOf(on: Reading, scope: StreamScope, head: RecordHead): Promise<Content> {
  const outline = head.bytes <= wholeRecordUnits ? undefined : await outlineOf(on, placeOf(scope, head), head.version);
  return outline ?? { data: await wholeData(on, scope, head), long: [] };
}

const wholeData = async (on: Reading, scope: StreamScope, head: RecordHead): Promise<JsonObject> =>
  JSON.parse(await dataOf(on, scope, head)) as JsonObject;

const typeOf = (value: Json): FieldWindow["field"]["type"] =>
  value === null ? "null" : Array.isArray(value) ? "array" : (typeof value as "string");

const beginsWith = (path: LongText["path"], start: LongText["path"]): boolean =>
  start.length <= path.length && start.every((step, i) => step === path[i]);

/** The text at a path: a string as it is, any other value as JSON. Only a long text by itself is left where it is stored. */
async function textAt(
  on: Reading,
  scope: StreamScope,
  head: RecordHead,
  { data, long }: Content,
  path: FieldPath,
  field: string,
): Promise<{ source: TextSource; type: FieldWindow["field"]["type"] }> {
  const value = valueAt(data, path);
  if (value === undefined)
    throw new PdppError("field_not_found", `the record has nothing at ${field}`, { param: "field" });
  const type = typeOf(value);
  const inside = long.findIndex((text) => beginsWith(text.path, path));
  if (inside >= 0 && type === "string") {
    const { chars } = long[inside]!;
    return { type, source: storedText(on, { ...placeOf(scope, head), version: head.version, textNo: inside, chars }) };
  }
  const text = textOf(inside < 0 ? value : valueAt(await wholeData(on, scope, head), path)!);
  return { type, source: heldText(text, charLength(text)) };
}
