import { z } from "zod";
import { PdppError } from "../errors.ts";

const instantText = z.string().describe("RFC 3339 date or date-time");

const streamRequest = z.strictObject({
  name: z.string().min(1),
  connection_ids: z.array(z.string().min(1)).min(1).optional(),
  fields: z.array(z.string().min(1)).min(1).optional(),
  time_range: z.strictObject({ since: instantText.optional(), until: instantText.optional() }).optional(),
  resources: z.array(z.string().min(1)).min(1).optional(),
});

/** A grant request as the owner writes it. One source makes a grant, several make a package. */
const grantRequest = z.strictObject({
  client: z.strictObject({ name: z.string().min(1).max(200), client_id: z.string().min(1).max(200).optional() }),
  expires_at: instantText.optional(),
  purpose: z.string().max(1000).optional(),
  access_mode: z.enum(["single_use", "continuous"]).optional(),
  sources: z
    .array(
      z.strictObject({
        connector_key: z.string().min(1),
        purpose_code: z.string().min(1).max(500).optional(),
        streams: z.array(streamRequest).min(1),
      }),
    )
    .min(1),
});
export type GrantRequest = z.infer<typeof grantRequest>;

/** The remainder of a grant or package. Omit `sources` to keep all, `expires_at` to keep the expiry. */
export interface NarrowRequest {
  readonly sources?: GrantRequest["sources"] | undefined;
  readonly expires_at?: string | undefined;
}

/** Parses a grant request, or throws an error that names the invalid path. */
export function parseGrantRequest(json: unknown): GrantRequest {
  const parsed = grantRequest.safeParse(json);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const path = (issue?.path ?? []).reduce<string>(
    (text, part) => text + (typeof part === "number" ? `[${part}]` : `.${String(part)}`),
    "$",
  );
  throw new PdppError("invalid_grant_request", `${path}: ${issue?.message ?? "not a grant request"}`);
}

const grantedStream = z.object({
  name: z.string(),
  connection_ids: z.array(z.string()),
  fields: z.array(z.string()),
  time_constraint: z
    .object({ field: z.string(), since: z.string().optional(), until: z.string().optional() })
    .optional(),
  resources: z.array(z.string()).optional(),
});
export type GrantedStream = z.infer<typeof grantedStream>;

/** A grant as issued: immutable, with streams, connections, fields and times frozen. */
const grant = z.object({
  grant_id: z.string(),
  package_id: z.string().optional(),
  client: z.object({ client_id: z.string(), name: z.string() }),
  connector_key: z.string(),
  declaration_version: z.string(),
  purpose: z.string().optional(),
  /** The purpose the client declared, as a URI. */
  purpose_code: z.string().optional(),
  /** `single_use` lasts an hour and cannot be refreshed. Default: `continuous`, until the grant expires. */
  access_mode: z.enum(["single_use", "continuous"]).optional(),
  streams: z.array(grantedStream),
  issued_at: z.string(),
  expires_at: z.string().optional(),
  revoked_at: z.string().optional(),
  replaces: z.string().optional(),
});
export type Grant = z.infer<typeof grant>;
