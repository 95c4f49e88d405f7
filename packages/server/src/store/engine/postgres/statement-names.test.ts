import { describe, expect, it } from "vitest";
import { createStatementNames } from "./statement-names.ts";

describe("names of statements", () => {
  const nameAfter = (names: ReturnType<typeof createStatementNames>, text: string, uses: number) => {
    for (let n = 1; n < uses; n += 1) names.find(text);
    return names.find(text);
  };

  it("[SCL-1] names a statement that recurs, and keeps the name", () => {
    const names = createStatementNames();
    expect(nameAfter(names, "SELECT a FROM t", 2)).toBeUndefined();
    const name = names.find("SELECT a FROM t");
    expect(name).toBeDefined();
    expect(names.find("SELECT a FROM t")).toBe(name);
    expect(nameAfter(names, "SELECT b FROM t", 3)).not.toBe(name);
  });

  it.each([
    "BEGIN",
    "COMMIT",
    "SELECT * FROM access_log",
    "SELECT a FROM (SELECT * FROM stream) AS s",
    `SELECT '${"x".repeat(10_000)}'`,
  ])("[SCL-1] does not name %s", (text) => {
    expect(nameAfter(createStatementNames(), text, 5)).toBeUndefined();
  });

  it("[SCL-1] starts again when there are many, without using a name twice", () => {
    const names = createStatementNames();
    const given = new Set<string>();
    for (let n = 0; n < 400; n += 1) given.add(nameAfter(names, `SELECT ${n} FROM t`, 3)!);
    expect(given.size).toBe(400);
    expect(names.generation).toBeGreaterThan(0);
    // Forgotten, so it counts as new.
    expect(names.find("SELECT 0 FROM t")).toBeUndefined();
  });
});
