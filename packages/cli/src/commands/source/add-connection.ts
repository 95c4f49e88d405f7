import { PdppError } from "@pdpp/contract/errors";
import type { OwnerApi } from "@pdpp/contract/owner";

export interface ConnectionOptions {
  readonly id?: string;
  readonly label?: string;
}

/** Adds a connection with the wanted id, or one named after the connector. */
export async function addConnection(
  owner: OwnerApi,
  connectorKey: string,
  { id, label }: ConnectionOptions,
): Promise<string> {
  for (let n = 1; ; n += 1) {
    const wanted = id ?? (n === 1 ? connectorKey : `${connectorKey}-${n}`);
    try {
      const request = { connector_key: connectorKey, connection_id: wanted, display_name: label };
      return (await owner.connections.add(request)).connection_id;
    } catch (error) {
      if (id !== undefined || !(error instanceof PdppError) || error.code !== "connection_exists") throw error;
    }
  }
}
