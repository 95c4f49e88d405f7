/** SQL as composable fragments: values are always parameters, and only `raw` text (our own identifiers) is spliced in. */

export type SqlValue = null | number | string | Uint8Array | readonly string[] | readonly number[];

export interface Sql {
  readonly parts: readonly string[];
  readonly values: readonly SqlValue[];
}

type Piece = Sql | SqlValue;

const isSql = (piece: Piece): piece is Sql =>
  typeof piece === "object" && piece !== null && !Array.isArray(piece) && "parts" in piece;

export function sql(strings: TemplateStringsArray, ...pieces: Piece[]): Sql {
  const plain = pieces.filter((piece): piece is SqlValue => !isSql(piece));
  if (plain.length === pieces.length) return { parts: strings, values: plain };
  const parts = [strings[0] ?? ""];
  const values: SqlValue[] = [];
  const append = (text: string) => {
    parts[parts.length - 1] += text;
  };
  pieces.forEach((piece, i) => {
    if (isSql(piece)) {
      append(piece.parts[0] ?? "");
      piece.values.forEach((value, j) => {
        values.push(value);
        parts.push(piece.parts[j + 1] ?? "");
      });
    } else {
      values.push(piece);
      parts.push("");
    }
    append(strings[i + 1] ?? "");
  });
  return { parts, values };
}

export const raw = (text: string): Sql => ({ parts: [text], values: [] });
export const emptySql = raw("");

/** LIMIT as a literal: SQLite would prepare the statement again each time a parameter there is bound. */
export function limitRows(rows: number): Sql {
  if (!Number.isSafeInteger(rows)) throw new RangeError(`not a number of rows: ${rows}`);
  return raw(`LIMIT ${rows}`);
}

export function join(fragments: readonly Sql[], separator: string): Sql {
  const between = raw(separator);
  return fragments.reduce((joined, next, i) => (i === 0 ? next : sql`${joined}${between}${next}`), emptySql);
}

export const joinAnd = (conditions: readonly Sql[]): Sql =>
  conditions.length === 0 ? raw("1 = 1") : join(conditions, " AND ");

/** Selects columns under the names that our types use: `p.created_at` as `createdAt`. */
export const aliasColumns = (list: string): Sql => {
  const names = list.split(",").map((name) => name.trim());
  const toCamelCase = (name: string) => name.replace(/^\w\./, "").replace(/_./g, (part) => part[1]!.toUpperCase());
  return raw(names.map((name) => `${name} AS "${toCamelCase(name)}"`).join(", "));
};

export function render(query: Sql, placeholder: (n: number) => string): string {
  return query.parts.reduce((text, part, i) => (i === 0 ? part : text + placeholder(i) + part), "");
}

/** Like `render`, but caches the text of templates without fragments, whose parts are frozen. */
export function createRenderer(placeholder: (n: number) => string): (query: Sql) => string {
  const texts = new WeakMap<readonly string[], string>();
  return (query) => {
    const held = texts.get(query.parts);
    if (held !== undefined) return held;
    const text = render(query, placeholder);
    if (Object.isFrozen(query.parts)) texts.set(query.parts, text);
    return text;
  };
}

/** SQLite allows at most 500 SELECTs in a compound statement. */
const maxSelectsPerUnion = 200;

/** The rows of all selects. Many selects are nested in groups. */
export function unionAll(selects: readonly Sql[]): Sql {
  const whole = selects.map((select) => sql`SELECT * FROM (${select}) AS branch`);
  if (whole.length <= maxSelectsPerUnion) return join(whole, " UNION ALL ");
  const groups: Sql[] = [];
  for (let n = 0; n < whole.length; n += maxSelectsPerUnion) {
    groups.push(join(whole.slice(n, n + maxSelectsPerUnion), " UNION ALL "));
  }
  return unionAll(groups);
}
