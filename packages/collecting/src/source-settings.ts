import { PdppError } from "@pdpp/contract/errors";
import type { SourceDocument } from "@pdpp/contract/sources";
import { z } from "zod";

const installed = z.object({
  digest: z.string(),
  manifest: z.string(),
  entry: z.string(),
  version: z.string(),
  paths: z.record(z.string(), z.string()),
});

/** The settings of a source that is collected by an installed connector. */
export type InstalledSettings = z.infer<typeof installed>;

const builtin = z.object({
  builtin: z.string(),
  /** Environment variables by their name. Secrets are kept elsewhere. */
  values: z.record(z.string(), z.string()),
  /** How often to collect, by the connector's manifest. */
  refresh_policy: z.record(z.string(), z.json()).optional(),
});

/** The settings of a source that is collected by a connector that comes with pdpp. */
export type BuiltinSettings = z.infer<typeof builtin>;

const connectorSettings = z.union([installed, builtin]);

export function readConnectorSettings({
  source_id,
  kind,
  settings,
}: SourceDocument): InstalledSettings | BuiltinSettings {
  const parsed = connectorSettings.safeParse(settings);
  if (kind === "connector" && parsed.success) return parsed.data;
  throw new PdppError("invalid_request", `source ${source_id} has no connector to run`);
}

const folderSettings = z.object({
  path: z.string(),
  /** What happens to records that a complete export no longer has. */
  absent: z.enum(["keep", "delete"]),
  /** Import into this connection what fits it. */
  into: z.string().optional(),
  /** Import into connections of this name. */
  label: z.string().optional(),
  /** A disk was mounted there when the source was added. */
  is_mount_point: z.boolean(),
});

/** The settings of a source that watches a folder. */
export type FolderSettings = z.infer<typeof folderSettings>;

export function readFolderSettings({ source_id, kind, settings }: SourceDocument): FolderSettings {
  const parsed = folderSettings.safeParse(settings);
  if (kind === "folder" && parsed.success) return parsed.data;
  throw new PdppError("invalid_request", `source ${source_id} has no folder to import`);
}
