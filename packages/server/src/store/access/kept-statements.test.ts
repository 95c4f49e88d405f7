import { describe, expect, it } from "vitest";
import { sql } from "../engine/sql.ts";
import { keepStatement, replaceLastValue } from "./kept-statements.ts";
import type { StreamScope } from "./scope.ts";

const scopeOf = (ownerNo: number): StreamScope =>
  ({ ownerNo, connectorKey: "c", connections: [], fields: null, stream: {} }) as unknown as StreamScope;

describe("the statements of a scope", () => {
  it("are built once for each scope and name", () => {
    const built: string[] = [];
    const ask = (scope: StreamScope, name: string) =>
      keepStatement(scope, name, () => {
        built.push(`${scope.ownerNo} ${name}`);
        return sql`SELECT ${name} FROM t WHERE owner_no = ${scope.ownerNo} AND key = ${""}`;
      });
    const [one, two] = [scopeOf(1), scopeOf(2)];
    expect(ask(one, "a")).toBe(ask(one, "a"));
    expect(ask(two, "a").values).toEqual(["a", 2, ""]);
    expect(ask(one, "b").values).toEqual(["b", 1, ""]);
    // An equal scope of a later moment has statements of its own.
    expect(ask(scopeOf(1), "a")).not.toBe(ask(one, "a"));
    expect(built).toEqual(["1 a", "2 a", "1 b", "1 a"]);
  });

  it("stay the same when they are used with another value, and are bounded", () => {
    const scope = scopeOf(1);
    const build = () => sql`SELECT 1 WHERE owner_no = ${1} AND key = ${""}`;
    const held = keepStatement(scope, "a", build);
    expect(replaceLastValue(held, "k").values).toEqual([1, "k"]);
    expect(held.values).toEqual([1, ""]);
    for (let n = 0; n < 1000; n += 1) keepStatement(scope, `n${n}`, build);
    expect(keepStatement(scope, "n0", build)).toBe(keepStatement(scope, "n0", build));
    expect(keepStatement(scope, "n999", build)).not.toBe(keepStatement(scope, "n999", build));
  });
});
