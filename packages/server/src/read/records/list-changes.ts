import { buildUrl } from "@pdpp/contract/address";
import type { Json, JsonObject } from "@pdpp/contract/declaration";
import { PdppError } from "@pdpp/contract/errors";
import { formatInstant } from "@pdpp/contract/instant";
import type { Input } from "@pdpp/contract/operations";
import type { EvidenceCard, RecordList, WireRecord, WireTombstone } from "@pdpp/contract/wire";
import { createPageLimit } from "@pdpp/evidence/sizes/page-limit";
import { z } from "zod";
import { type Condition, type ScopedConnection, type StreamScope, wasVisible } from "../../store/access/scope.ts";
import type { Dialect, ReadTransaction } from "../../store/engine/engine.ts";
import { parseJsonObject } from "../../store/engine/json.ts";
import { type Horizon, listChangedRecords, listRecordsAt, loadHorizon } from "../../store/records/changes.ts";
import { bindingOf, pageLimit, type ReadContext } from "../context.ts";
import { openCursor, sealMoment } from "../cursor.ts";
import { cardOf } from "./cards.ts";
import { conditionsFrom } from "./conditions.ts";
import { type Projection, presentationOf, project, projectionFrom, provenance } from "./projection.ts";

/** A walk over changes: from a bookmark, up to the vault's state when the walk began, so that it ends. */
interface Walk {
  readonly since: number;
  readonly upTo: number;
  /** When it began; null for bookmarks that do not tell. */
  readonly at: number | null;
  readonly after: Place | undefined;
}

/** Behind which a page begins: a version, or in a walk from the beginning a record. */
type Place = number | readonly [connectionId: string, key: string];

type Shown = WireRecord | WireTombstone | EvidenceCard;

/**
 * What changed since a bookmark, as the grant shows it: a record whose granted fields did not change is not there, one that left
 * the grant's bounds is a deletion. From the beginning on, that is every record as it is.
 */
export async function queryChanges(
  context: ReadContext,
  scope: StreamScope,
  input: Input<"queryRecords">,
): Promise<RecordList> {
  const { limit, warnings } = pageLimit(input.limit);
  const { seeing, binding } = prepareChanges(context, scope, input);
  const { dialect } = context.store.engine;

  return context.store.engine.read(async (on) => {
    const now = await loadHorizon(on, scope.ownerNo);
    const walk = walkFrom(context, binding, input, now);
    const data: Shown[] = [];
    const versions: number[] = [];
    let last = walk.after;
    let more = false;
    const fits = createPageLimit(input.max_chars);
    const cursorAt = (place: Place | undefined): string =>
      sealMoment(context.keys, binding, [walk.since, walk.upTo, walk.at, (place ?? null) as Json]);
    const pages = walk.since === 0 ? recordPages : changePages;
    // Only what would be shown makes a further page: an empty one would tell that something outside the grant changed.
    walking: for await (const page of pages(on, dialect, seeing, walk, limit + 1)) {
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

/** What of a record is shown, and how. */
interface Seeing {
  readonly context: ReadContext;
  readonly scope: StreamScope;
  readonly projection: Projection;
  readonly conditions: readonly Condition[];
  readonly cards: boolean;
}

interface Found {
  readonly shown: Shown;
  readonly version: number;
  readonly place: Place;
}

async function* recordPages(
  on: ReadTransaction,
  dialect: Dialect,
  seeing: Seeing,
  { upTo, after: from }: Walk,
  limit: number,
): AsyncGenerator<Found[]> {
  let after = typeof from === "object" ? { connectionId: from[0], key: from[1] } : undefined;
  for (;;) {
    const page = await listRecordsAt(on, dialect, seeing.scope, { upTo, after, limit });
    yield page.flatMap(({ place, ...record }): Found[] => {
      const shown = asSeen(seeing, { ...record, before: null, after: record.data, deletedAt: null });
      return shown === undefined ? [] : [{ shown, version: record.version, place: [place.connectionId, place.key] }];
    });
    if (page.length < limit) return;
    after = page.at(-1)?.place;
  }
}

async function* changePages(
  on: ReadTransaction,
  dialect: Dialect,
  seeing: Seeing,
  { since, upTo, after: from }: Walk,
  limit: number,
): AsyncGenerator<Found[]> {
  let after = typeof from === "number" ? from : since;
  for (;;) {
    const page = await listChangedRecords(on, dialect, seeing.scope, { since, upTo, after, limit });
    yield page.flatMap((change): Found[] => {
      const shown = asSeen(seeing, change);
      return shown === undefined ? [] : [{ shown, version: change.version, place: change.version }];
    });
    if (page.length < limit) return;
    after = page.at(-1)?.version ?? upTo;
  }
}

/** What a walk over the changes of a stream needs; throws if the stream cannot answer it. */
export function prepareChanges(
  context: ReadContext,
  scope: StreamScope,
  input: Input<"queryRecords">,
): { seeing: Seeing; binding: Json } {
  refuseListOnly(input);
  const conditions = conditionsFrom(scope, input.filter);
  const seeing: Seeing = {
    scope,
    conditions,
    projection: projectionFrom(scope, input),
    context,
    cards: presentationOf(scope, input.view) !== undefined,
  };
  const binding = bindingOf(scope, "changes", conditions as never);
  const { changes_since: since = "beginning" } = input;
  if (since !== "beginning") openCursor(context.keys, binding, since, "changes_since");
  return { seeing, binding };
}

function refuseListOnly(input: Input<"queryRecords">): void {
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

function walkFrom(context: ReadContext, binding: Json, input: Input<"queryRecords">, now: Horizon): Walk {
  const opened = (text: string, param: string) => openCursor(context.keys, binding, text, param);
  const from = input.changes_since ?? "beginning";
  const [since, at = null] = from === "beginning" ? [0] : told(mark, opened(from, "changes_since"));
  if (since !== 0) refuseForgotten(now, since, at);
  if (input.cursor === undefined) return { since, upTo: now.current, at: context.now(), after: undefined };
  const [cursorSince, upTo, began, after] = told(step, opened(input.cursor, "cursor"));
  if (cursorSince !== since) {
    throw new PdppError(
      "invalid_cursor",
      "the cursor belongs to another changes_since bookmark; send both as you received them",
      { param: "cursor" },
    );
  }
  refuseForgotten(now, upTo, began);
  return { since, upTo, at: began, after: after ?? undefined };
}

/** A writer may be at work while a bookmark is made, and say of what it replaces that it ended before. */
const slowestWrite = 3_600_000;

/** By time alone wherever that will do: how far the vault had come tells of what was written outside the grant. */
function refuseForgotten({ pruned, prunedBefore }: Horizon, version: number, at: number | null): void {
  const isOld = at !== null && prunedBefore !== null && at < prunedBefore;
  const isNear = at === null || prunedBefore === null || at < prunedBefore + slowestWrite;
  if (!isOld && !(isNear && version < pruned)) return;
  throw new PdppError(
    "cursor_expired",
    'the history back to this bookmark was pruned; start over with changes_since="beginning"',
    { param: "changes_since" },
  );
}

function told<T>(shape: z.ZodType<T>, json: Json): T {
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

/** A record at both ends of a span; null where it was not there. */
interface Span {
  readonly connection: ScopedConnection;
  readonly key: string;
  readonly revision: number;
  readonly emittedAt: number;
  readonly before: string | null;
  readonly after: string | null;
  readonly deletedAt: number | null;
}

/** The change as a reader of this grant sees it, or undefined when nothing of it shows. */
function asSeen({ context, scope, projection, conditions, cards }: Seeing, change: Span): Shown | undefined {
  const shown = (text: string | null): JsonObject | undefined => {
    const data = text === null ? undefined : parseJsonObject(text);
    return data && wasVisible(scope, conditions, data)
      ? project(scope, projection, data, change.connection)
      : undefined;
  };
  const [before, after] = [shown(change.before), shown(change.after)];
  const origin = provenance(scope, change.connection, change.key, change.revision, change.emittedAt);
  if (after !== undefined && change.after !== null) {
    if (before !== undefined && JSON.stringify(before) === JSON.stringify(after)) return undefined;
    return cards
      ? cardOf(context, scope, projection, { ...change, data: parseJsonObject(change.after) })
      : { ...origin, data: after };
  }
  if (before === undefined) return undefined;
  return { ...origin, deleted: true, deleted_at: formatInstant(change.deletedAt ?? change.emittedAt) };
}
