import { type FieldDeclaration, findField } from "@pdpp/contract/declaration";
import type { ReadApi } from "@pdpp/contract/operations";
import { findTimeField } from "../../days/timed-streams.ts";
import type { Names } from "../../frame/names.ts";
import type { MonthlyStream } from "../month-counts.ts";

/** Streams with positions: tracks and places. */

export interface PlaceStream extends Omit<MonthlyStream, "field"> {
  readonly kind: "track" | "place";
  /** Undefined if it has none, or if the grant does not include it. */
  readonly field: FieldDeclaration | undefined;
  readonly recordCount: number;
  /** The fields that one record is read with. */
  readonly fields: readonly string[];
  /** The fields that lists are read with: without those that only a chosen track needs. */
  readonly listFields: readonly string[];
  readonly title: string | undefined;
  /** The grant may include neither a line nor a position. */
  readonly hasCoordinates: boolean;
}

export const isTimed = (stream: PlaceStream): stream is PlaceStream & MonthlyStream => stream.field !== undefined;

const maxStreams = 40;

export async function listPlaceStreams(reader: ReadApi, names: Names): Promise<PlaceStream[]> {
  const { data } = await reader.streams({});
  return data
    .flatMap(({ connection_id: connection, name, record_count, last_updated }): PlaceStream[] => {
      const declaration = names.declaration(connection, name);
      const { kind, fields: parts = {} } = declaration?.presentation ?? {};
      if (declaration === undefined || record_count === 0) return [];
      if (kind !== "track" && kind !== "place") return [];
      const field = findTimeField(declaration);
      const title = declaration.fields.find(({ role }) => role === "primary-title")?.name;
      const used = [field?.name, title, ...declaration.primaryKey, ...Object.values(parts)];
      const fields = [...new Set(used)].filter(
        (each) => each !== undefined && findField(declaration, each) !== undefined,
      ) as string[];
      const { line_heights, line_seconds } = parts;
      return [
        {
          connection,
          declaration,
          field,
          kind,
          title,
          fields,
          listFields: fields.filter((each) => each !== line_heights && each !== line_seconds),
          recordCount: record_count,
          state: `${record_count} ${last_updated}`,
          filters: [{}],
          hasCoordinates: parts.line !== undefined || (parts.latitude !== undefined && parts.longitude !== undefined),
        },
      ];
    })
    .slice(0, maxStreams);
}
