import { PdppError } from "@pdpp/contract/errors";
import type { ConnectionDetail } from "@pdpp/contract/owner";
import type { Importer } from "@pdpp/importers/importer";
import { ImportOptionsError } from "../import-options-error.ts";
import { type ChosenConnection, getConnectorKey } from "./plan-part.ts";

interface ConnectionChoice {
  readonly into?: string | undefined;
  readonly label?: string | undefined;
  /** Connections that are chosen by name only. */
  readonly isReserved?: ((connectionId: string) => boolean) | undefined;
}

/** Chooses the named connection, the only one for this format, or a new one. */
export function chooseConnection(
  held: readonly ConnectionDetail[],
  importer: Importer,
  { into, label, isReserved = () => false }: ConnectionChoice,
): ChosenConnection {
  // Several formats may bring the same records.
  const key = getConnectorKey(importer);
  const ofKind = held.filter(({ connector_key }) => connector_key === key);
  if (into !== undefined) {
    const named = held.find(({ connection_id }) => connection_id === into);
    if (named === undefined) {
      const known = ofKind.map(({ connection_id }) => connection_id).join(", ") || "none yet; drop --into";
      throw new PdppError(
        "connection_not_found",
        `connection ${into} not found; connections for ${importer.title}: ${known}`,
      );
    }
    if (named.connector_key !== key) {
      throw new ImportOptionsError(
        `connection ${into} is for ${named.connector_key}, not ${key}; drop --into, or add --as`,
      );
    }
    return toChosenConnection(named);
  }
  if (label !== undefined) {
    const named = ofKind.find(({ display_name }) => display_name === label);
    return named === undefined ? { id: pickUnusedId(held, key), isNew: true, label } : toChosenConnection(named);
  }
  const free = ofKind.filter(({ connection_id }) => !isReserved(connection_id));
  const [only, ...others] = free;
  if (only === undefined) return { id: pickUnusedId(held, key), isNew: true, label: importer.title };
  if (others.length === 0) return toChosenConnection(only);
  const ids = free.map(({ connection_id }) => connection_id).join(", ");
  throw new ImportOptionsError(
    `there are several connections for ${importer.title}: ${ids}; choose one with --into, or create one with --label`,
  );
}

const toChosenConnection = ({ connection_id: id, display_name: label }: ConnectionDetail): ChosenConnection => ({
  id,
  isNew: false,
  label: label ?? id,
});

function pickUnusedId(held: readonly ConnectionDetail[], key: string): string {
  const taken = new Set(held.map(({ connection_id }) => connection_id));
  for (let n = 1; ; n += 1) {
    const id = n === 1 ? key : `${key}-${n}`;
    if (!taken.has(id)) return id;
  }
}
