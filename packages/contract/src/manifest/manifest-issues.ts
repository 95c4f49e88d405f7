import type { JsonObject } from "./declaration.ts";

export interface ManifestIssue {
  /** JSON path: `$.streams[0].query.range_filters.sent_at`. */
  path: string;
  code: string;
  message: string;
}

export class InvalidManifestError extends Error {
  override readonly name = "InvalidManifestError";
  readonly faults: ManifestIssue[];

  constructor(faults: ManifestIssue[]) {
    super(faults.map((fault) => `${fault.path}: ${fault.message} (${fault.code})`).join("\n"));
    this.faults = faults;
  }
}

export type ManifestIssueCode =
  | "invalid"
  | "duplicate_stream_name"
  | "duplicate_view_id"
  | "duplicate_relationship_name"
  | "duplicate_expand_name"
  | "duplicate_preset_id"
  | "duplicate_preset_stream_name"
  | "duplicate_primary_title"
  | "invalid_expand_limits"
  | "invalid_query_field_type"
  | "invalid_role_type"
  | "invalid_unit"
  | "nonlocal_schema_reference"
  | "unknown_relationship"
  | "unknown_role"
  | "unknown_schema_field"
  | "unknown_stream"
  | "unknown_view";

/** Collects errors, at most one per path. */
export class IssueList {
  readonly faults: ManifestIssue[] = [];
  /** The manifest was validated when it was registered, possibly by an older version. */
  readonly isStored: boolean;
  readonly #seen = new Set<string>();

  constructor(isStored = false) {
    this.isStored = isStored;
  }

  add(path: string, code: ManifestIssueCode, message: string): void {
    const key = `${path}\n${code}\n${message}`;
    if (this.#seen.has(key)) return;
    this.#seen.add(key);
    this.faults.push({ path, code: `source.declaration.${code}`, message });
  }
}

export function appendPath(path: string, key: string | number): string {
  if (typeof key === "number") return `${path}[${key}]`;
  return /^[A-Za-z_$][\w$-]*$/.test(key) ? `${path}.${key}` : `${path}[${quote(key)}]`;
}

export function quote(name: string): string {
  return JSON.stringify(name.length > 80 ? `${name.slice(0, 80)}…` : name);
}

export function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
