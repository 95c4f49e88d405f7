import { capitalize, countChars } from "@pdpp/evidence/text/text";
import type { Names } from "../names.ts";

/** Titles as the owner reads them: "You in Heating costs" for the turns that an AI conversation says the user wrote. */

interface Titled {
  readonly title: string;
  readonly connection_id: string;
  readonly stream: string;
}

export function writeTitle(names: Names, { title, connection_id, stream }: Titled): string {
  const declaration = names.declaration(connection_id, stream);
  const own = declaration?.presentation?.own;
  // Elsewhere the actor is a name, which the owner knows.
  if (own === undefined || own.field !== declaration?.generated?.field) return title;
  const lead = own.values
    .map((value) => capitalize(String(value)))
    .find((part) => [" in ", ": ", ", "].some((next) => title.startsWith(part + next)));
  return lead === undefined ? title : `You${title.slice(lead.length)}`;
}

/** The title of a hit, with its marks where the title now has them. */
export function writeMarkedTitle<Match extends { readonly match?: readonly Span[] | undefined }>(
  names: Names,
  hit: Titled & { readonly title_match?: Match | undefined },
): { readonly title: string; readonly match: Match | undefined } {
  const title = writeTitle(names, hit);
  const moved = countChars(title) - countChars(hit.title);
  const found = hit.title_match;
  if (found === undefined || moved === 0) return { title, match: found };
  const match = found.match?.map(({ start_chars, end_chars }) => ({
    start_chars: start_chars + moved,
    end_chars: end_chars + moved,
  }));
  return { title, match: { ...found, match } };
}

interface Span {
  readonly start_chars: number;
  readonly end_chars: number;
}
