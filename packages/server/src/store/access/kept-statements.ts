import type { Sql, SqlValue } from "../engine/sql.ts";
import type { StreamScope } from "./scope.ts";

/** Statements that follow from a scope alone. Scopes are kept between requests, so their statements are built and rendered once. */

const maxPerScope = 40;
const statements = new WeakMap<StreamScope, Map<string, Sql>>();

/** `name` must say everything that `build` uses besides the scope. */
export function keepStatement(scope: StreamScope, name: string, build: () => Sql): Sql {
  let ofScope = statements.get(scope);
  if (ofScope === undefined) {
    ofScope = new Map();
    statements.set(scope, ofScope);
  }
  const held = ofScope.get(name);
  if (held !== undefined) return held;
  const built = build();
  // Only the text of frozen parts is kept.
  Object.freeze(built.parts);
  if (ofScope.size < maxPerScope) ofScope.set(name, built);
  return built;
}

export const replaceLastValue = ({ parts, values }: Sql, value: SqlValue): Sql => ({
  parts,
  values: [...values.slice(0, -1), value],
});
