import { compareSources, humanize, labelField, labelStream } from "@pdpp/consent/labels";
import { findField, findStream, isDerived, type StreamDeclaration } from "@pdpp/contract/declaration";
import type { OwnerApi, OwnerCatalog, OwnerConnection } from "@pdpp/contract/owner";
import { isolateLabel } from "@pdpp/evidence/text/label";

import { findMarkNames } from "./mark-names.ts";

/** Labels of the owner's sources, streams and fields, by id. */
export interface Names {
  readonly sources: readonly Source[];
  source(connectionId: string): string;
  /** Its name from the first word that tells it from the other sources, for its letter. */
  mark(connectionId: string): string;
  stream(connectionId: string, stream: string): string;
  /** "Mail · Drafts", or only "Notes" for the notes of a source with that name. */
  place(connectionId: string, stream: string): string;
  field(connectionId: string, stream: string, path: string): string;
  declaration(connectionId: string, stream: string): StreamDeclaration | undefined;
  /** The name of a source type. */
  connector(key: string): string;
}

interface Source {
  readonly id: string;
  readonly label: string;
  /** Made from the other sources, so it is not one that the owner added. */
  readonly isDerived: boolean;
  readonly streams: readonly { readonly name: string; readonly label: string }[];
}

export const loadNames = async (owner: OwnerApi): Promise<Names> => createNames(await owner.catalog());

export function createNames({ connectors, connections: held }: OwnerCatalog): Names {
  const byId = new Map(held.map((connection) => [connection.id, connection]));
  const findConnector = (connection: OwnerConnection | undefined) =>
    connection === undefined ? undefined : connectors.get(connection.connectorKey);
  const getSourceLabel = (connection: OwnerConnection): string =>
    isolateLabel(connection.label ?? findConnector(connection)?.displayName ?? connection.id);
  const findDeclaration = (id: string, name: string): StreamDeclaration | undefined => {
    const connector = findConnector(byId.get(id));
    return connector === undefined ? undefined : findStream(connector, name);
  };
  const isDerivedSource = (connection: OwnerConnection): boolean => {
    const connector = findConnector(connection);
    return connector !== undefined && isDerived(connector);
  };
  const describe = (connection: OwnerConnection) => ({
    label: getSourceLabel(connection),
    isDerived: isDerivedSource(connection),
  });
  const sorted = held
    .map((connection) => ({ connection, ...describe(connection) }))
    .sort(compareSources)
    .map(({ connection }) => connection);
  const markNames = findMarkNames(sorted.map(getSourceLabel));
  const marks = new Map(sorted.map(({ id }, i) => [id, markNames[i]]));
  const getSourceName = (id: string): string => {
    const connection = byId.get(id);
    return connection === undefined ? isolateLabel(id) : getSourceLabel(connection);
  };
  const getStreamName = (id: string, name: string): string => {
    const declared = findDeclaration(id, name);
    return isolateLabel(declared === undefined ? humanize(name) : labelStream(declared));
  };
  return {
    sources: sorted.map((connection) => ({
      id: connection.id,
      ...describe(connection),
      streams: (findConnector(connection)?.streams ?? []).map((stream) => ({
        name: stream.name,
        label: isolateLabel(labelStream(stream)),
      })),
    })),
    source: getSourceName,
    mark: (id) => marks.get(id) ?? isolateLabel(id),
    stream: getStreamName,
    place(id, stream) {
      const [source, kind] = [getSourceName(id), getStreamName(id, stream)];
      return source.toLowerCase() === kind.toLowerCase() ? source : `${source} · ${kind}`;
    },
    field(id, stream, path) {
      const declared = findDeclaration(id, stream);
      const field = declared && findField(declared, path);
      return isolateLabel(field === undefined ? path : labelField(field));
    },
    declaration: findDeclaration,
    connector: (key) => isolateLabel(connectors.get(key)?.displayName ?? humanize(key)),
  };
}
