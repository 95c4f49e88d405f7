/**
 * URLs of pages: every view has one that describes it completely. Those of Explore are relative, so that pages under
 * an impersonated grant lead to each other and never out of it.
 */

type Value = string | number | readonly string[] | undefined;

export function buildUrl(path: string, values: Readonly<Record<string, Value>>): string {
  const params = new URLSearchParams();
  for (const [name, value] of Object.entries(values)) {
    if (typeof value === "object") for (const one of value) params.append(name, one);
    else if (value !== undefined && value !== "") params.append(name, String(value));
  }
  return params.size === 0 ? path : `${path}?${params}`;
}

export const getRecordUrl = (id: string, version?: string): string => buildUrl("record", { id, version });

export interface TextPlace {
  readonly id: string;
  readonly field: string;
  readonly offset?: number | undefined;
  readonly end?: number | undefined;
  readonly version?: string | undefined;
  /** Ranges of characters to highlight, such as 2043-2053. */
  readonly marks?: readonly string[] | undefined;
}

export const getTextUrl = ({ id, field, offset, end, version, marks }: TextPlace): string =>
  buildUrl("text", { id, field, offset, end, version, mark: marks });

export const getFileUrl = (connection: string, blob: string, show?: "1"): string =>
  buildUrl("file", { connection, blob, show });

export const getThumbnailUrl = (connection: string, blob: string): string =>
  buildUrl("thumbnail", { connection, blob });

export const getStreamUrl = (source: string, stream: string): string => buildUrl("stream", { source, stream });

/** Turns a relative URL of Explore into one that works from any page. */
export const toAbsoluteUrl = (address: string): string => `/${address}`;

/** The path of Explore under a grant. */
export const getImpersonationPath = (grantId: string): string => `/as/${encodeURIComponent(grantId)}`;
