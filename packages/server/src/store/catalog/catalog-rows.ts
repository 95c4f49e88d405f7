import { parseStoredManifest } from "@pdpp/contract/manifest";
import type { WriteTransaction } from "../engine/engine.ts";
import { parseStoredJson } from "../engine/json.ts";
import { requireValue } from "../engine/require-value.ts";
import { raw } from "../engine/sql.ts";
import type { SearchPlan } from "../search/indexing.ts";
import type { ColumnPlan, FieldColumn } from "./layout.ts";

export interface ConnectorRow {
  connector_key: string;
  manifest: string;
  registered_at: number;
  pending_manifest: string | null;
  reindex_total: number | null;
  reindex_done: number | null;
}
export interface StreamRow {
  stream_no: number;
  connector_key: string;
  name: string;
  columns: string;
  pending_columns: string | null;
  indexes: string;
  search: string | null;
  pending_search: string | null;
  reindex_after: string | null;
  /** How often words were removed from its indexes since the last sweep. */
  words_removed: number;
  /** 1 once its indexes exist. */
  is_built: 0 | 1;
}

/** For a connector with a pending manifest. */
export const getReindexProgress = ({ reindex_done, reindex_total }: ConnectorRow): { done: number; total: number } => ({
  done: requireValue(reindex_done, "reindex_done of a pending manifest"),
  total: requireValue(reindex_total, "reindex_total of a pending manifest"),
});

export const incrementCatalogRevision = (on: Pick<WriteTransaction, "run">) =>
  on.run(raw("UPDATE meta SET value = CAST(CAST(value AS integer) + 1 AS text) WHERE name = 'catalog_revision'"));

export function collectBlobFields({ manifest, pending_manifest }: ConnectorRow): (stream: string) => string[] {
  const said = [manifest, ...(pending_manifest === null ? [] : [pending_manifest])];
  const streams = said.flatMap((text) => parseStoredManifest(text).streams);
  return (stream) => [
    ...new Set(
      streams
        .filter(({ name }) => name === stream)
        .flatMap((s) => s.fields.filter(({ blob }) => blob).map(({ name }) => name)),
    ),
  ];
}

export function decodeColumnPlan(text: string): ColumnPlan {
  const { fields, next } = parseStoredJson<{ fields: [string, FieldColumn][]; next: number }>(text);
  return { fields: new Map(fields), next };
}
export const decodeSearchPlan = (text: string | null): SearchPlan | null =>
  text === null ? null : parseStoredJson(text);

/** Distinct plans: the pending one may also be the active one. */
export function listSearchPlans({ search, pending_search }: StreamRow): SearchPlan[] {
  const plans = [decodeSearchPlan(search), decodeSearchPlan(pending_search)].filter((plan) => plan !== null);
  return [...new Map(plans.map((plan) => [plan.name, plan])).values()];
}

export const encodeColumnPlan = (plan: ColumnPlan): string =>
  JSON.stringify({ fields: [...plan.fields], next: plan.next });
