import { z } from "zod";

/** Requests in detail (RFC 9396 authorization details). */

export const dataAccessType = "https://pdpp.dev/data-access";

export interface Selection {
  readonly source: { readonly id: string };
  readonly purpose_code?: string | undefined;
  readonly purpose_description?: string | undefined;
  readonly client_claims?: { readonly commitments?: readonly string[] | undefined } | undefined;
  readonly access_mode?: "single_use" | "continuous" | undefined;
  readonly streams: readonly RequestedStream[];
}

export interface RequestedStream {
  readonly name: string;
  readonly fields?: readonly string[] | undefined;
  readonly view?: string | undefined;
  readonly instance_ids?: readonly string[] | undefined;
  readonly resources?: readonly string[] | undefined;
  readonly time_range?: { readonly since?: string | undefined; readonly until?: string | undefined } | undefined;
}

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
): { readonly selection: Selection; readonly error?: undefined } | { readonly error: string } {
  const parsed = selectionSchema.safeParse(detail);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    return { error: `${issue?.path.join(".") || "authorization_details"}: ${issue?.message ?? "not a selection"}` };
  }
  const both = parsed.data.streams.find(({ fields, view }) => fields !== undefined && view !== undefined);
  return both === undefined
    ? { selection: parsed.data }
    : { error: `stream ${both.name}: send fields or view, not both` };
}

export function parseSelections(list: unknown): Selection[] {
  if (!Array.isArray(list)) return [];
  return list.flatMap((detail) => {
    const parsed = parseSelection(detail);
    return parsed.error === undefined ? [parsed.selection] : [];
  });
}
