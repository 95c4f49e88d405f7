import type { JsonObject } from "@pdpp/contract/declaration";
import type { StreamMetadata } from "@pdpp/contract/wire";
import { toLabel } from "@pdpp/evidence/text/literal";
import { formatStaleness } from "@pdpp/evidence/text/staleness";
import { omitUndefined } from "../layout/call.ts";

/** The connections of a schema: id, label, and whether newer records may be missing. */

type Connection = StreamMetadata["granted_connections"][number];

export function formatConnection({ connection_id: id, display_name: label, freshness }: Connection): string {
  const staleness = formatStaleness(freshness);
  return `${id}${label === undefined ? "" : ` ${toLabel(label)}`}${staleness === undefined ? "" : ` (${staleness})`}`;
}

export const buildConnection = ({ connection_id, display_name, freshness }: Connection): JsonObject =>
  omitUndefined({ connection_id, display_name, freshness: freshness && buildFreshness(freshness) });

const buildFreshness = ({ status, captured_at, last_attempted_at }: NonNullable<Connection["freshness"]>): JsonObject =>
  omitUndefined({ status, captured_at, last_attempted_at });
