import type { Selection } from "@pdpp/console/consent/offer";
import type { Grant, GrantedStream } from "@pdpp/contract/grant";
import { z } from "zod";
import { listGrantsInPackage } from "../store/access/grants.ts";
import type { Catalog } from "../store/catalog/catalog.ts";
import type { Store } from "../store/store.ts";

/** What a client asks for in detail (RFC 9396), as the protocol writes it. */

export const dataAccessType = "https://pdpp.dev/data-access";

const selectionSchema = z.looseObject({
  type: z.literal(dataAccessType),
  source: z.looseObject({ id: z.string().min(1).max(2000) }),
  purpose_code: z.string().max(500).optional(),
  purpose_description: z.string().max(1000).optional(),
  access_mode: z.enum(["single_use", "continuous"]).optional(),
  client_claims: z.looseObject({ commitments: z.array(z.string().max(1000)).max(20).optional() }).optional(),
  streams: z
    .array(
      z.looseObject({
        name: z.string().min(1).max(500),
        fields: z.array(z.string().min(1).max(500)).min(1).max(1000).optional(),
        view: z.string().min(1).max(500).optional(),
        instance_ids: z.array(z.string().min(1).max(500)).min(1).max(200).optional(),
        resources: z.array(z.string().min(1).max(4096)).min(1).max(10_000).optional(),
        time_range: z.looseObject({ since: z.string().optional(), until: z.string().optional() }).optional(),
      }),
    )
    .min(1)
    .max(200),
});

export function parseSelection(
  detail: unknown,
): { readonly selection: Selection; readonly fault?: undefined } | { readonly fault: string } {
  const parsed = selectionSchema.safeParse(detail);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    return { fault: `${issue?.path.join(".") || "authorization_details"}: ${issue?.message ?? "not a selection"}` };
  }
  const both = parsed.data.streams.find(({ fields, view }) => fields !== undefined && view !== undefined);
  return both === undefined
    ? { selection: parsed.data }
    : { fault: `stream ${both.name}: send fields or view, not both` };
}

interface Source {
  readonly kind: string;
  readonly id: string;
}

/** A grant's source, as other servers know it: by its URI. */
export function sourceOf({ connector_key }: Grant, { connectors }: Catalog): Source {
  const declaration = connectors.get(connector_key)?.declaration;
  return { kind: declaration?.sourceKind ?? "connector", id: declaration?.connectorId ?? connector_key };
}

type FrozenDetail = {
  readonly type: typeof dataAccessType;
  readonly source: Source;
  readonly grant_id: string;
  readonly purpose_code?: string;
  readonly access_mode: "single_use" | "continuous";
  readonly streams: readonly (Omit<GrantedStream, "connection_ids"> & { readonly instance_ids: readonly string[] })[];
};

/** Whether the grants of a package are to be read once. */
export async function isOnce(store: Store, packageId: string): Promise<boolean> {
  const held = await store.engine.read((on) => listGrantsInPackage(on, packageId));
  return held.some(({ grant }) => grant.access_mode === "single_use");
}

/** What was granted in the end, in the same form. */
export async function frozenDetails(store: Store, packageId: string): Promise<FrozenDetail[]> {
  const held = await store.engine.read((on) => listGrantsInPackage(on, packageId));
  const catalog = await store.catalog();
  return held.map(({ grant }) => frozenDetail(grant, catalog));
}

export const frozenDetail = (grant: Grant, catalog: Catalog): FrozenDetail => ({
  type: dataAccessType,
  source: sourceOf(grant, catalog),
  grant_id: grant.grant_id,
  ...(grant.purpose_code === undefined ? {} : { purpose_code: grant.purpose_code }),
  access_mode: grant.access_mode ?? "continuous",
  streams: grant.streams.map(({ connection_ids: instance_ids, ...stream }) => ({ ...stream, instance_ids })),
});
