import { mcpPath } from "./http/metadata.ts";
import type { LongerBody } from "./http/request/body-limit.ts";
import { consentPath } from "./oauth/provider-paths.ts";

const kib = 1024;
const gib = 1024 ** 3;

/** The routes whose bodies may be longer than a small form. All others have the default limit, whoever adds them. */
export const longerBodies: readonly LongerBody[] = [
  { path: new RegExp(`^${mcpPath}$`), maxBytes: 256 * kib },
  // Forms with a field for each part of each source.
  { path: new RegExp(`^${consentPath}/[^/]+$`), maxBytes: 1024 * kib },
  { path: /^\/agents\/(new|[^/]+\/narrow)$/, maxBytes: 1024 * kib },
  { path: /^\/import\/[^/]+\/answer$/, maxBytes: 1024 * kib },
  // A phone that was offline sends a few hundred locations at once.
  { path: /^\/v1\/push\/[^/]+$/, maxBytes: 1024 * kib },
  { path: /^\/v1\/blobs$/, maxBytes: 16 * gib },
  // Read as streams with limits of their own: each line of an ingest, each upload (`ImportService.receive`).
  { path: /^\/v1\/ingest\/[^/]+$/, maxBytes: Number.POSITIVE_INFINITY },
  { path: /^\/import\/upload$/, maxBytes: Number.POSITIVE_INFINITY },
];
