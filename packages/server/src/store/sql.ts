/** SQL as composable fragments: values always travel as parameters, and only `raw` text (our own identifiers) is spliced. */

export type SqlValue = null | number | string | Uint8Array | readonly string[] | readonly number[];

export interface Sql {
  readonly parts: readonly string[];
  readonly values: readonly SqlValue[];
}

type Piece = Sql | SqlValue;

const isSql = (piece: Piece): piece is Sql =>
  typeof piece === "object" && piece !== null && !Array.isArray(piece) && "parts" in piece;

export function sql(strings: TemplateStringsArray, ...pieces: Piece[]): Sql {
  const parts = [strings[0]!];
  const values: SqlValue[] = [];
  const append = (text: string) => {
    parts[parts.length - 1] += text;
  };
  pieces.forEach((piece, i) => {
    if (isSql(piece)) {
      append(piece.parts[0]!);
      piece.values.forEach((value, j) => {
        values.push(value);
        parts.push(piece.parts[j + 1]!);
      });
    } else {
      values.push(piece);
      parts.push("");
    }
    append(strings[i + 1]!);
  });
  return { parts, values };
}

export const raw = (text: string): Sql => ({ parts: [text], values: [] });
export const nothing = raw("");

export function join(fragments: readonly Sql[], separator: string): Sql {
  const between = raw(separator);
  return fragments.reduce((all, next, i) => (i === 0 ? next : sql`${all}${between}${next}`), nothing);
}

export const all = (conditions: readonly Sql[]): Sql =>
  conditions.length === 0 ? raw("1 = 1") : join(conditions, " AND ");

/** The text an engine runs, with its own spelling of the n-th parameter. */
export function render(query: Sql, placeholder: (n: number) => string): string {
  return query.parts.reduce((text, part, i) => (i === 0 ? part : text + placeholder(i) + part), "");
}

/** SQLite takes 500 selects in a row, and not one more. */
const selectsTogether = 200;

/** The rows of all the selects; of very many, group by group. */
export function unionAll(selects: readonly Sql[]): Sql {
  const whole = selects.map((select) => sql`SELECT * FROM (${select}) AS branch`);
  if (whole.length <= selectsTogether) return join(whole, " UNION ALL ");
  const groups: Sql[] = [];
  for (let n = 0; n < whole.length; n += selectsTogether) {
    groups.push(join(whole.slice(n, n + selectsTogether), " UNION ALL "));
  }
  return unionAll(groups);
}
