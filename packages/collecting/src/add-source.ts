import { PdppError } from "@pdpp/contract/errors";
import type { OwnerApi } from "@pdpp/contract/owner";

export interface ConnectionNames {
  readonly id?: string | undefined;
  readonly label?: string | undefined;
  /** Prefix of a generated id (default: the connector's key). */
  readonly name?: string | undefined;
}

/** Adds a connection for a connector, under the first free id if none is given. Returns the id. */
export async function addSourceConnection(
  owner: OwnerApi,
  connectorKey: string,
  { id, label, name = connectorKey }: ConnectionNames,
): Promise<string> {
  for (let n = 1; ; n += 1) {
    const wanted = id ?? (n === 1 ? name : `${name}-${n}`);
    try {
      const request = { connector_key: connectorKey, connection_id: wanted, display_name: label };
      return (await owner.connections.add(request)).connection_id;
    } catch (error) {
      if (id !== undefined || !(error instanceof PdppError) || error.code !== "connection_exists") throw error;
    }
  }
}
