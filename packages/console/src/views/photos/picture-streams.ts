import type { StreamDeclaration } from "@pdpp/contract/declaration";
import type { ReadApi } from "@pdpp/contract/operations";
import { findTimeField } from "../../days/timed-streams.ts";
import type { Names } from "../../frame/names.ts";
import type { MonthlyStream } from "../month-counts.ts";

/** Streams with pictures: photos, and files among which there may be pictures. */

export type PictureStream = MonthlyStream;

/** Types of pictures among other files. */
const pictureTypes = ["image/jpeg", "image/png", "image/webp", "image/gif", "image/heic"];
const maxStreams = 60;

export async function listPictureStreams(reader: ReadApi, names: Names): Promise<PictureStream[]> {
  const { data } = await reader.streams({});
  return data
    .flatMap(({ connection_id: connection, name, record_count, last_updated }): PictureStream[] => {
      const declaration = names.declaration(connection, name);
      const field = declaration && findTimeField(declaration);
      const filters = declaration && listFilters(declaration);
      if (declaration === undefined || field === undefined || filters === undefined || record_count === 0) return [];
      return [{ connection, declaration, field, state: `${record_count} ${last_updated}`, filters }];
    })
    .slice(0, maxStreams);
}

/** Undefined if it has no pictures. */
function listFilters({ presentation, fields }: StreamDeclaration): PictureStream["filters"] | undefined {
  if (presentation === undefined || !fields.some(({ blob }) => blob)) return undefined;
  if (presentation.kind === "photo") return [{}];
  const { media_type: type } = presentation.fields;
  if (presentation.kind !== "document" || type === undefined) return undefined;
  return pictureTypes.map((each) => ({ [type]: each }));
}
