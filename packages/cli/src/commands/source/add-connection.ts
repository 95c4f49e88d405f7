import { PdppError } from "@pdpp/contract/errors";
import type { OwnerApi } from "@pdpp/contract/owner";

export interface ConnectionOptions {
  readonly id?: string;
  readonly label?: string | undefined;
}

/** Adds a connection with the wanted id, or one like `name` that is not taken. */
export async function addConnection(
  owner: OwnerApi,
  connectorKey: string,
  { id, label, name = connectorKey }: ConnectionOptions & { readonly name?: string },
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
