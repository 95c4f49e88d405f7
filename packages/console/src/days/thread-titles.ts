import type { ReadApi } from "@pdpp/contract/operations";
import type { Names } from "../frame/names.ts";
import type { DayItem } from "./day-records.ts";
import type { Entry } from "./entries.ts";
import { findThreadField } from "./timed-streams.ts";

/** Titles of conversations whose messages don't repeat them. */

/** Further conversations are named by who writes in them. */
const maxTitles = 24;

/** Keyed by the group key of the entry. */
export async function loadThreadTitles(
  reader: ReadApi,
  names: Names,
  entries: readonly Entry<DayItem>[],
): Promise<ReadonlyMap<string, string>> {
  const wanted = new Map<string, DayItem>();
  for (const { first } of entries)
    if (
      first.kind === "conversation" &&
      first.groupKey !== undefined &&
      first.card.slots["primary-title"] === undefined
    )
      wanted.set(first.groupKey, first);
  const titles = new Map<string, string>();
  for (const [key, { thread, stream }] of [...wanted].slice(0, maxTitles)) {
    const { connection, declaration } = stream;
    const within = findThreadField(declaration);
    const parent = declaration.relationships.find(
      ({ cardinality, foreignKey }) => cardinality === "has_one" && foreignKey === within,
    )?.stream;
    if (thread === undefined || parent === undefined || names.declaration(connection, parent) === undefined) continue;
    const found = await reader
      .fetch({ connection_id: connection, stream: parent, record_id: thread, view: "evidence" })
      // The conversation may be deleted or not granted; its messages are shown all the same.
      .catch(() => undefined);
    if (found?.object === "evidence_card" && found.slots["primary-title"] !== undefined) titles.set(key, found.title);
  }
  return titles;
}
