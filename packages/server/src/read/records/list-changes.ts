import { buildUrl } from "@pdpp/contract/address";
import type { Json, JsonObject } from "@pdpp/contract/declaration";
import { PdppError } from "@pdpp/contract/errors";
import { formatInstant } from "@pdpp/contract/instant";
import type { Input } from "@pdpp/contract/operations";
import type { EvidenceCard, RecordList, WireRecord, WireTombstone } from "@pdpp/contract/wire";
import { createPageLimit } from "@pdpp/evidence/sizes/page-limit";
import { z } from "zod";
import { type Condition, type ScopedConnection, type StreamScope, wasVisible } from "../../store/access/scope.ts";
import type { ReadTransaction } from "../../store/engine/engine.ts";
import { parseJsonObject } from "../../store/engine/json.ts";
import { type Horizon, listChangedRecords, listRecordsAt, loadHorizon } from "../../store/records/changes.ts";
import { clampPageLimit, createBinding, type ReadContext } from "../context.ts";
import { openCursor, sealMoment } from "../cursor.ts";
import { buildCard } from "./cards.ts";
import { parseFilter } from "./conditions.ts";
import { buildProvenance, getPresentation, type Projection, parseProjection, project } from "./projection.ts";

/** Lists changes from a bookmark up to the vault's version at the start of the walk, so that paging ends. */
interface Walk {
  readonly since: number;
  readonly upTo: number;
  /** When it started; null in old bookmarks. */
  readonly at: number | null;
  readonly after: Place | undefined;
}

/** Where the last page ended: at a version, or at a record if all records are listed. */
type Place = number | readonly [connectionId: string, key: string];

type VisibleChange = WireRecord | WireTombstone | EvidenceCard;

/**
 * Lists what changed since a bookmark, as the grant shows it: a record whose granted fields did not change is omitted,
 * and one that left the grant's bounds is deleted. From the beginning, that is every record.
 */
export async function listChanges(
  context: ReadContext,
  scope: StreamScope,
  input: Input<"queryRecords">,
): Promise<RecordList> {
  const { limit, warnings } = clampPageLimit(input.limit);
  const { seeing, binding } = prepareChanges(context, scope, input);

  return context.store.engine.read(async (on) => {
    const now = await loadHorizon(on, scope.ownerNo);
    const walk = parseWalk(context, binding, input, now);
    const data: VisibleChange[] = [];
    const versions: number[] = [];
    let last = walk.after;
    let more = false;
    const fits = createPageLimit(input.max_chars);
    const cursorAt = (place: Place | undefined): string =>
      sealMoment(context.keys, binding, [walk.since, walk.upTo, walk.at, (place ?? null) as Json]);
    const pages = walk.since === 0 ? readRecordPages : readChangePages;
    // An empty further page would reveal that something outside the grant changed.
    walking: for await (const page of pages(on, seeing, walk, limit + 1)) {
      for (const { shown, place, version } of page) {
        const hasRoom =
          data.length < limit &&
          fits(
            () => context.measure({ kind: "record", item: shown, shared: {} }),
            () => cursorAt(place),
          );
        if (!hasRoom) {
          more = true;
          break walking;
        }
        data.push(shown);
        versions.push(version);
        last = place;
      }
    }
    const cursor = more ? cursorAt(last) : undefined;
    const bookmark = more ? undefined : sealMoment(context.keys, binding, [walk.upTo, walk.at]);
    context.disclose({
      connectionIds: [...new Set(data.map(({ connection_id }) => connection_id))],
      stream: input.stream,
      records: data.length,
      versions,
    });
    return {
      object: "list" as const,
      data,
      has_more: more,
      ...(cursor === undefined ? {} : { next_cursor: cursor }),
      ...(bookmark === undefined ? {} : { next_changes_since: bookmark }),
      links: {
        self: buildUrl("queryRecords", input),
        next: cursor === undefined ? null : buildUrl("queryRecords", { ...input, cursor }),
      },
      meta: { count: { kind: "none" as const }, warnings },
    };
  });
}

interface ChangeView {
  readonly context: ReadContext;
  readonly scope: StreamScope;
  readonly projection: Projection;
  readonly conditions: readonly Condition[];
  readonly cards: boolean;
}

interface Found {
  readonly shown: VisibleChange;
  readonly version: number;
  readonly place: Place;
}

async function* readRecordPages(
  on: ReadTransaction,
  seeing: ChangeView,
  { upTo, after: from }: Walk,
  limit: number,
): AsyncGenerator<Found[]> {
  let after = typeof from === "object" ? { connectionId: from[0], key: from[1] } : undefined;
  for (;;) {
    const page = await listRecordsAt(on, seeing.scope, { upTo, after, limit });
    yield page.flatMap(({ place, ...record }): Found[] => {
      const shown = toVisibleChange(seeing, { ...record, before: null, after: record.data, deletedAt: null });
      return shown === undefined ? [] : [{ shown, version: record.version, place: [place.connectionId, place.key] }];
    });
    if (page.length < limit) return;
    after = page.at(-1)?.place;
  }
}

async function* readChangePages(
  on: ReadTransaction,
  seeing: ChangeView,
  { since, upTo, after: from }: Walk,
  limit: number,
): AsyncGenerator<Found[]> {
  let after = typeof from === "number" ? from : since;
  for (;;) {
    const page = await listChangedRecords(on, seeing.scope, { since, upTo, after, limit });
    yield page.flatMap((change): Found[] => {
      const shown = toVisibleChange(seeing, change);
      return shown === undefined ? [] : [{ shown, version: change.version, place: change.version }];
    });
    if (page.length < limit) return;
    after = page.at(-1)?.version ?? upTo;
  }
}

export function prepareChanges(
  context: ReadContext,
  scope: StreamScope,
  input: Input<"queryRecords">,
): { seeing: ChangeView; binding: Json } {
  checkChangesParameters(input);
  const conditions = parseFilter(scope, input.filter);
  const seeing: ChangeView = {
    scope,
    conditions,
    projection: parseProjection(scope, input),
    context,
    cards: getPresentation(scope, input.view) !== undefined,
  };
  const binding = createBinding(scope, "changes", conditions as never);
  const { changes_since: since = "beginning" } = input;
  if (since !== "beginning") openCursor(context.keys, binding, since, "changes_since");
  return { seeing, binding };
}

function checkChangesParameters(input: Input<"queryRecords">): void {
  for (const param of ["sort", "order", "count", "window"] as const) {
    if (input[param] !== undefined) {
      throw new PdppError(
        "invalid_request",
        `${param} cannot be combined with changes_since, which has its own order`,
        {
          param,
        },
      );
    }
  }
  if (input.expand !== undefined || input.expand_limit !== undefined) {
    throw new PdppError(
      "invalid_expand",
      "expand cannot be combined with changes_since; fetch the changed records instead",
      {
        param: "expand",
      },
    );
  }
}

const mark = z.union([z.tuple([z.number()]), z.tuple([z.number(), z.number().nullable()])]);
const place = z.union([z.null(), z.number(), z.tuple([z.string(), z.string()])]);
const step = z.tuple([z.number(), z.number(), z.number().nullable(), place]);

function parseWalk(context: ReadContext, binding: Json, input: Input<"queryRecords">, now: Horizon): Walk {
  const opened = (text: string, param: string) => openCursor(context.keys, binding, text, param);
  const from = input.changes_since ?? "beginning";
  const [since, at = null] = from === "beginning" ? [0] : parseBookmark(mark, opened(from, "changes_since"));
  if (since !== 0) checkNotPruned(now, since, at);
  if (input.cursor === undefined) return { since, upTo: now.current, at: context.now(), after: undefined };
  const [cursorSince, upTo, began, after] = parseBookmark(step, opened(input.cursor, "cursor"));
  if (cursorSince !== since) {
    throw new PdppError(
      "invalid_cursor",
      "the cursor belongs to another changes_since bookmark; send both as you received them",
      { param: "cursor" },
    );
  }
  checkNotPruned(now, upTo, began);
  return { since, upTo, at: began, after: after ?? undefined };
}

/** A write that was running when a bookmark was made may date its changes before the bookmark. */
const maxWriteMs = 3_600_000;

/** Compares times where possible: comparing versions would reveal writes outside the grant. */
function checkNotPruned({ pruned, prunedBefore }: Horizon, version: number, at: number | null): void {
  const isOld = at !== null && prunedBefore !== null && at < prunedBefore;
  const isNear = at === null || prunedBefore === null || at < prunedBefore + maxWriteMs;
  if (!isOld && !(isNear && version < pruned)) return;
  throw new PdppError(
    "cursor_expired",
    'the history back to this bookmark was pruned; start over with changes_since="beginning"',
    { param: "changes_since" },
  );
}

function parseBookmark<T>(shape: z.ZodType<T>, json: Json): T {
  const { success, data } = shape.safeParse(json);
  if (success) return data;
  throw new PdppError(
    "invalid_cursor",
    "a cursor was sent as changes_since, or a bookmark as cursor; copy each from the answer that gave it",
    {
      param: "changes_since",
    },
  );
}

interface Span {
  readonly connection: ScopedConnection;
  readonly key: string;
  readonly revision: number;
  readonly emittedAt: number;
  readonly before: string | null;
  readonly after: string | null;
  readonly deletedAt: number | null;
}

/** The change as this grant shows it, or undefined if it shows nothing of it. */
function toVisibleChange(
  { context, scope, projection, conditions, cards }: ChangeView,
  change: Span,
): VisibleChange | undefined {
  const shown = (text: string | null): JsonObject | undefined => {
    const data = text === null ? undefined : parseJsonObject(text);
    return data && wasVisible(scope, conditions, data)
      ? project(scope, projection, data, change.connection)
      : undefined;
  };
  const [before, after] = [shown(change.before), shown(change.after)];
  const origin = buildProvenance(scope, change.connection, change.key, change.revision, change.emittedAt);
  if (after !== undefined && change.after !== null) {
    if (before !== undefined && JSON.stringify(before) === JSON.stringify(after)) return undefined;
    return cards
      ? buildCard(context, scope, projection, { ...change, data: parseJsonObject(change.after) })
      : { ...origin, data: after };
  }
  if (before === undefined) return undefined;
  return { ...origin, deleted: true, deleted_at: formatInstant(change.deletedAt ?? change.emittedAt) };
}
