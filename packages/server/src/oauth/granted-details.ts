import { dataAccessType } from "@pdpp/consent/selection";
import type { Grant, GrantedStream } from "@pdpp/contract/grant";
import { listGrantsInPackage } from "../store/access/grants.ts";
import type { Catalog } from "../store/catalog/catalog.ts";
import type { Store } from "../store/store.ts";

interface Source {
  readonly kind: string;
  readonly id: string;
}

/** Other servers know a source by its URI, not by our connector key. */
export function describeSource({ connector_key }: Grant, { connectors }: Catalog): Source {
  const declaration = connectors.get(connector_key)?.declaration;
  return { kind: declaration?.sourceKind ?? "connector", id: declaration?.connectorId ?? connector_key };
}

type GrantedDetail = {
  readonly type: typeof dataAccessType;
  readonly source: Source;
  readonly grant_id: string;
  readonly purpose_code?: string;
  readonly access_mode: "single_use" | "continuous";
  readonly streams: readonly (Omit<GrantedStream, "connection_ids"> & { readonly instance_ids: readonly string[] })[];
};

export async function isSingleUse(store: Store, packageId: string): Promise<boolean> {
  const held = await store.engine.read((on) => listGrantsInPackage(on, packageId));
  return held.some(({ grant }) => grant.access_mode === "single_use");
}

export async function listGrantedDetails(store: Store, packageId: string): Promise<GrantedDetail[]> {
  const held = await store.engine.read((on) => listGrantsInPackage(on, packageId));
  const catalog = await store.catalog();
  return held.map(({ grant }) => describeGrant(grant, catalog));
}

export const describeGrant = (grant: Grant, catalog: Catalog): GrantedDetail => ({
  type: dataAccessType,
  source: describeSource(grant, catalog),
  grant_id: grant.grant_id,
  ...(grant.purpose_code === undefined ? {} : { purpose_code: grant.purpose_code }),
  access_mode: grant.access_mode ?? "continuous",
  streams: grant.streams.map(({ connection_ids: instance_ids, ...stream }) => ({ ...stream, instance_ids })),
});
