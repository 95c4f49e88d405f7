/** Every error code with its HTTP status. Other codes cannot be thrown. */
export const problemStatus = {
  invalid_request: 400,
  invalid_argument: 400,
  invalid_cursor: 400,
  invalid_sort: 400,
  invalid_expand: 400,
  unknown_field: 400,
  invalid_field_path: 400,
  invalid_window: 400,
  invalid_record: 400,
  invalid_record_identity: 400,
  unsupported_version: 400,
  connector_invalid: 400,
  invalid_grant_request: 400,
  authentication_error: 401,
  field_not_granted: 403,
  grant_stream_not_allowed: 403,
  insufficient_scope: 403,
  grant_revoked: 403,
  grant_expired: 403,
  grant_invalid: 403,
  package_revoked: 403,
  permission_error: 403,
  not_found: 404,
  stream_not_declared: 404,
  connection_not_found: 404,
  blob_not_found: 404,
  field_not_found: 404,
  query_not_found: 404,
  method_not_allowed: 405,
  request_timeout: 408,
  ambiguous_connection: 409,
  ambiguous_schema_detail: 409,
  connection_exists: 409,
  connector_conflict: 409,
  stale_window: 409,
  cursor_expired: 410,
  resource_limit: 413,
  range_not_satisfiable: 416,
  misdirected_request: 421,
  field_not_text: 422,
  query_too_heavy: 422,
  rate_limited: 429,
  headers_too_large: 431,
  api_error: 500,
  ingest_batch_storage_error: 503,
  unavailable: 503,
} as const;
export type ProblemCode = keyof typeof problemStatus;

export interface ConnectionCandidate {
  grant_id?: string;
  connector_key: string;
  connection_id: string;
  stream?: string;
  display_name?: string;
}

export interface UnavailableConnection {
  connection_id: string;
  reason: string;
}

/** Additional fields of an error. Each key is part of the wire format. */
export interface ProblemDetails {
  param?: string;
  retry_with?: "connection_id";
  available_connections?: ConnectionCandidate[];
  available_connection_count?: number;
  available_connections_truncated?: boolean;
  /** Connections that have the stream and cannot answer this call. */
  unavailable_connections?: UnavailableConnection[];
  /** The `connection_id` that repeats this call across all available connections. */
  every_connection?: "*";
  /** The key fields of a record whose connection is ambiguous. */
  primary_key?: string[];
  discovery_hint?: string;
  resource_metadata?: string;
  token_error?: string;
  next_step?: string;
  retry_after_seconds?: number;
}

export class PdppError extends Error {
  readonly code: ProblemCode;
  readonly details: ProblemDetails;
  /** From the server's response; identifies the request in the access log. */
  readonly requestId: string | undefined;

  constructor(code: ProblemCode, message: string, details: ProblemDetails = {}, requestId?: string) {
    super(message);
    this.name = "PdppError";
    this.code = code;
    this.details = details;
    this.requestId = requestId;
  }

  get status(): number {
    return problemStatus[this.code];
  }
}

/** The request got no response, or an incomplete one. */
export class NoResponseError extends PdppError {
  constructor(message: string) {
    super("unavailable", message);
  }
}

const typeOfStatus: Record<number, string> = {
  400: "invalid_request_error",
  401: "authentication_error",
  403: "permission_error",
  404: "not_found_error",
  410: "gone_error",
  413: "request_entity_too_large_error",
  429: "rate_limit_error",
};

export interface ErrorEnvelope {
  error: { type: string; code: string; message: string; request_id?: string } & ProblemDetails;
}

export function buildErrorEnvelope(error: PdppError, requestId = error.requestId): ErrorEnvelope {
  return {
    error: {
      type: typeOfStatus[error.status] ?? "api_error",
      code: error.code,
      message: error.message,
      ...error.details,
      ...(requestId === undefined ? {} : { request_id: requestId }),
    },
  };
}

const knownCodes: ReadonlySet<string> = new Set(Object.keys(problemStatus));

/** The code to use for an unknown error of each status. */
const codeByStatus: { readonly [status: number]: ProblemCode } = {
  401: "authentication_error",
  403: "permission_error",
  404: "not_found",
  429: "rate_limited",
};

/** Rebuilds the error from an envelope. An unknown code keeps its message and is classified by status. */
export function parseErrorEnvelope(status: number, body: unknown, headerRequestId?: string): PdppError {
  const error = (body as Partial<ErrorEnvelope> | null)?.error;
  const byStatus = codeByStatus[status] ?? "api_error";
  if (typeof error !== "object" || error === null || typeof error.code !== "string") {
    const message = `the server answered ${status} without an error this client understands`;
    return new PdppError(byStatus, message, {}, headerRequestId);
  }
  const { type: _type, code, message, request_id: requestId = headerRequestId, ...details } = error;
  return knownCodes.has(code)
    ? new PdppError(code as ProblemCode, String(message), details, requestId)
    : new PdppError(byStatus, `${code}: ${message}`, details, requestId);
}
