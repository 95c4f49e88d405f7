import { PdppError } from "@pdpp/contract/errors";
import type { SourceDocument } from "@pdpp/contract/sources";
import { z } from "zod";

const connectorSettings = z.object({
  digest: z.string(),
  manifest: z.string(),
  entry: z.string(),
  version: z.string(),
  paths: z.record(z.string(), z.string()),
});

/** The settings of a source that is collected by an installed connector. */
export type ConnectorSettings = z.infer<typeof connectorSettings>;

export function readConnectorSettings({ source_id, kind, settings }: SourceDocument): ConnectorSettings {
  const parsed = connectorSettings.safeParse(settings);
  if (kind === "connector" && parsed.success) return parsed.data;
  throw new PdppError("invalid_request", `source ${source_id} has no connector to run`);
}
