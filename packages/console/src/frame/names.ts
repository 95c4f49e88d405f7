import { humanize, labelField, labelStream } from "@pdpp/consent/labels";
import { findField, findStream, type StreamDeclaration } from "@pdpp/contract/declaration";
import type { OwnerApi, OwnerCatalog, OwnerConnection } from "@pdpp/contract/owner";

/** Labels of the owner's sources, streams and fields, by id. */
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

/** Labels can be of any length; a line has room for this much. */
const maxNameChars = 120;
const truncate = (name: string): string =>
  name.length > maxNameChars ? `${name.slice(0, maxNameChars).toWellFormed()}…` : name;

export const loadNames = async (owner: OwnerApi): Promise<Names> => createNames(await owner.catalog());

export function createNames({ connectors, connections: held }: OwnerCatalog): Names {
  const byId = new Map(held.map((connection) => [connection.id, connection]));
  const findConnector = (connection: OwnerConnection | undefined) =>
    connection === undefined ? undefined : connectors.get(connection.connectorKey);
  const getSourceLabel = (connection: OwnerConnection): string =>
    truncate(connection.label ?? findConnector(connection)?.displayName ?? connection.id);
  const findDeclaration = (id: string, name: string): StreamDeclaration | undefined => {
    const connector = findConnector(byId.get(id));
    return connector === undefined ? undefined : findStream(connector, name);
  };
  return {
    sources: held.map((connection) => ({
      id: connection.id,
      label: getSourceLabel(connection),
      streams: (findConnector(connection)?.streams ?? []).map((stream) => ({
        name: stream.name,
        label: truncate(labelStream(stream)),
      })),
    })),
    source(id) {
      const connection = byId.get(id);
      return connection === undefined ? truncate(id) : getSourceLabel(connection);
    },
    stream(id, name) {
      const declared = findDeclaration(id, name);
      return truncate(declared === undefined ? humanize(name) : labelStream(declared));
    },
    field(id, stream, path) {
      const declared = findDeclaration(id, stream);
      const field = declared && findField(declared, path);
      return truncate(field === undefined ? path : labelField(field));
    },
    declaration: findDeclaration,
  };
}
