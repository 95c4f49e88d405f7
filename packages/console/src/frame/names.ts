import { findField, findStream, type StreamDeclaration } from "@pdpp/contract/declaration";
import type { OwnerApi, OwnerCatalog, OwnerConnection } from "@pdpp/contract/owner";
import { humanize, labelField, labelStream } from "@pdpp/server/consent/labels";

/** What the owner's sources, streams and fields are called, by their ids. */
export interface Names {
  readonly sources: readonly Source[];
  source(connectionId: string): string;
  stream(connectionId: string, stream: string): string;
  field(connectionId: string, stream: string, path: string): string;
  declaration(connectionId: string, stream: string): StreamDeclaration | undefined;
}

interface Source {
  readonly id: string;
  readonly label: string;
  readonly streams: readonly { readonly name: string; readonly label: string }[];
}

/** People and manifests may call things as they like; a line has room for so much. */
const longestName = 120;
const short = (name: string): string =>
  name.length > longestName ? `${name.slice(0, longestName).toWellFormed()}…` : name;

export const namesOf = async (owner: OwnerApi): Promise<Names> => namesIn(await owner.catalog());

export function namesIn({ connectors, connections: held }: OwnerCatalog): Names {
  const byId = new Map(held.map((connection) => [connection.id, connection]));
  const connectorOf = (connection: OwnerConnection | undefined) =>
    connection === undefined ? undefined : connectors.get(connection.connectorKey);
  const labelOf = (connection: OwnerConnection): string =>
    short(connection.label ?? connectorOf(connection)?.displayName ?? connection.id);
  const declaration = (id: string, name: string): StreamDeclaration | undefined => {
    const connector = connectorOf(byId.get(id));
    return connector === undefined ? undefined : findStream(connector, name);
  };
  return {
    sources: held.map((connection) => ({
      id: connection.id,
      label: labelOf(connection),
      streams: (connectorOf(connection)?.streams ?? []).map((stream) => ({
        name: stream.name,
        label: short(labelStream(stream)),
      })),
    })),
    source(id) {
      const connection = byId.get(id);
      return connection === undefined ? short(id) : labelOf(connection);
    },
    stream(id, name) {
      const declared = declaration(id, name);
      return short(declared === undefined ? humanize(name) : labelStream(declared));
    },
    field(id, stream, path) {
      const declared = declaration(id, stream);
      const field = declared && findField(declared, path);
      return short(field === undefined ? path : labelField(field));
    },
    declaration,
  };
}
