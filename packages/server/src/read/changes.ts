import { addressOf } from "@pdpp/contract/address";
import type { Json, JsonObject } from "@pdpp/contract/declaration";
import { PdppError } from "@pdpp/contract/errors";
import { isoOf } from "@pdpp/contract/instant";
import type { Input } from "@pdpp/contract/operations";
import type { EvidenceCard, RecordList, WireRecord, WireTombstone } from "@pdpp/contract/wire";
import { itemForm } from "@pdpp/evidence/forms/card";
import { pageRoom } from "@pdpp/evidence/forms/page-room";
import { type Condition, type StreamScope, wasVisible } from "../store/access/scope.ts";
import { type ChangedRecord, changedRecords, horizon } from "../store/records/changes.ts";
import { conditionsFrom } from "./conditions.ts";
import { bindingOf, pageLimit, type ReadContext } from "./context.ts";
import { openCursor, sealCursor } from "./cursor.ts";
import { cardOf } from "./evidence.ts";
import { type Projection, presentationOf, project, projectionFrom, provenance } from "./projection.ts";

/** At most this many changes are looked at for one page; a page may then be short, and its cursor goes on. */
const lookedAt = 1000;

/** A walk over changes: from a bookmark, up to the vault's state when the walk began, so that it ends. */
interface Walk {
  readonly since: number;
  readonly upTo: number;
  readonly after: number;
}

/**
 * What changed since a bookmark, as the grant shows it: a record whose granted fields did not change is not there, one that left
 * the grant's bounds is a deletion.
 */
export async function queryChanges(
  context: ReadContext,
  scope: StreamScope,
  input: Input<"queryRecords">,
): Promise<RecordList> {
  refuseListOnly(input);
  const { limit, warnings } = pageLimit(input.limit);
  const projection = projectionFrom(scope, input);
  const cards = presentationOf(scope, input.view) !== undefined;
  const conditions = conditionsFrom(scope, input.filter);
  const binding = bindingOf(scope, "changes", conditions as never);
  const { dialect } = context.store.engine;

  return context.store.engine.read(async (on) => {
    const { current, pruned } = await horizon(on, scope.ownerNo);
    const walk = walkFrom(context, binding, input, current);
    if (walk.since !== 0 && walk.since < pruned) {
      throw new PdppError(
        "cursor_expired",
        'the history back to this bookmark was pruned; start over with changes_since="beginning"',
        {
          param: "changes_since",
        },
      );
    }
    const found = await changedRecords(on, dialect, scope, { ...walk, limit: lookedAt });
    const data: (WireRecord | WireTombstone | EvidenceCard)[] = [];
    let after = walk.after;
    let next = false;
    const fits = pageRoom(input.max_chars);
    const cursorAt = (version: number): string => sealCursor(context.keys, binding, [walk.since, walk.upTo, version]);
    for (const change of found) {
      const seen = asSeen(scope, projection, conditions, change, cards);
      if (seen === undefined) {
        after = change.version;
      } else if (
        data.length < limit &&
        fits(
          () => itemForm(seen, {}),
          () => cursorAt(change.version),
        )
      ) {
        after = change.version;
        data.push(seen);
      } else {
        next = true;
        break;
      }
    }
    // Only what would be shown makes a further page: an empty one would tell that something outside the grant changed.
    const more = next || found.length === lookedAt;
    const cursor = more ? cursorAt(after) : undefined;
    const bookmark = more ? undefined : sealCursor(context.keys, binding, [walk.upTo]);
    context.disclose({
      connectionIds: [...new Set(data.map(({ connection_id }) => connection_id))],
      stream: input.stream,
      records: data.length,
    });
    return {
      object: "list" as const,
      data,
      has_more: more,
      ...(cursor === undefined ? {} : { next_cursor: cursor }),
      ...(bookmark === undefined ? {} : { next_changes_since: bookmark }),
      links: {
        self: addressOf("queryRecords", input),
        next: cursor === undefined ? null : addressOf("queryRecords", { ...input, cursor }),
      },
      meta: { count: { kind: "none" as const }, warnings },
    };
  });
}

function refuseListOnly(input: Input<"queryRecords">): void {
  for (const param of ["sort", "order", "count", "window"] as const) {
    if (input[param] !== undefined) {
      throw new PdppError("invalid_request", `${param} does not go with changes_since, which has an order of its own`, {
        param,
      });
    }
  }
  if (input.expand !== undefined || input.expand_limit !== undefined) {
    throw new PdppError("invalid_expand", "expand does not go with changes_since; fetch the changed records instead", {
      param: "expand",
    });
  }
}

function walkFrom(context: ReadContext, binding: Json, input: Input<"queryRecords">, current: number): Walk {
  const since =
    input.changes_since === "beginning"
      ? 0
      : number(openCursor(context.keys, binding, input.changes_since!, "changes_since"), 1)[0]!;
  if (input.cursor === undefined) return { since, upTo: current, after: since };
  const [from, upTo, after] = number(openCursor(context.keys, binding, input.cursor, "cursor"), 3) as [
    number,
    number,
    number,
  ];
  if (from !== since) {
    throw new PdppError(
      "invalid_cursor",
      "the cursor belongs to a walk from another bookmark; send both as they were given",
      { param: "cursor" },
    );
  }
  return { since, upTo, after };
}

function number(json: Json, length: number): number[] {
  const list = json as number[];
  if (!Array.isArray(list) || list.length !== length) {
    throw new PdppError("invalid_cursor", "a cursor was sent as a bookmark, or a bookmark as a cursor", {
      param: "changes_since",
    });
  }
  return list;
}

/** The change as a reader of this grant sees it, or undefined when nothing of it shows. */
function asSeen(
  scope: StreamScope,
  projection: Projection,
  conditions: readonly Condition[],
  change: ChangedRecord,
  cards: boolean,
): WireRecord | WireTombstone | EvidenceCard | undefined {
  const shown = (text: string | null): JsonObject | undefined => {
    const data = text === null ? undefined : (JSON.parse(text) as JsonObject);
    return data && wasVisible(scope, conditions, data)
      ? project(scope, projection, data, change.connection)
      : undefined;
  };
  const [before, after] = [shown(change.before), shown(change.after)];
  const origin = provenance(scope, change.connection, change.key, change.revision, change.emittedAt);
  if (after !== undefined) {
    if (before !== undefined && JSON.stringify(before) === JSON.stringify(after)) return undefined;
    return cards ? cardOf(scope, projection, { ...change, data: change.after! }) : { ...origin, data: after };
  }
  if (before === undefined) return undefined;
  return { ...origin, deleted: true, deleted_at: isoOf(change.deletedAt ?? change.emittedAt) };
}
