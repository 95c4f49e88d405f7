import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  createRenderer,
  emptySql,
  join,
  joinAnd,
  limitRows,
  raw,
  render,
  type Sql,
  type SqlValue,
  sql,
} from "./sql.ts";

const value: fc.Arbitrary<SqlValue> = fc.oneof(
  fc.constant(null),
  fc.double(),
  fc.string(),
  fc.uint8Array({ maxLength: 3 }),
  fc.array(fc.string(), { maxLength: 2 }),
  fc.array(fc.integer(), { maxLength: 2 }),
);

/** A fragment and what it must render to: its text with a placeholder for each value, and the values. */
interface FragmentCase {
  readonly made: Sql;
  readonly text: string;
  readonly values: readonly SqlValue[];
}

const { fragment } = fc.letrec<{ fragment: FragmentCase }>((tie) => ({
  fragment: fc.oneof(
    { depthSize: "small", withCrossShrink: true },
    fc.constantFrom("a", "", "b = c").map((text): FragmentCase => ({ made: raw(text), text, values: [] })),
    value.map((v): FragmentCase => ({ made: sql`x = ${v}`, text: "x = ?", values: [v] })),
    fc.tuple(tie("fragment"), value, tie("fragment")).map(
      ([a, v, b]): FragmentCase => ({
        made: sql`(${a.made} + ${v} + ${b.made})`,
        text: `(${a.text} + ? + ${b.text})`,
        values: [...a.values, v, ...b.values],
      }),
    ),
    fc.array(tie("fragment"), { maxLength: 4 }).map(
      (list): FragmentCase => ({
        made: join(
          list.map(({ made }) => made),
          ", ",
        ),
        text: list.map(({ text }) => text).join(", "),
        values: list.flatMap(({ values }) => values),
      }),
    ),
    fc.array(tie("fragment"), { minLength: 1, maxLength: 3 }).map(
      (list): FragmentCase => ({
        made: joinAnd(list.map(({ made }) => made)),
        text: list.map(({ text }) => text).join(" AND "),
        values: list.flatMap(({ values }) => values),
      }),
    ),
  ),
}));

describe("composed SQL", () => {
  it("has its values in the order of its placeholders", () =>
    fc.assert(
      fc.property(fragment, ({ made, text, values }) => {
        expect(made.parts).toHaveLength(made.values.length + 1);
        expect(made.values).toEqual(values);
        expect(render(made, () => "?")).toBe(text);
        const numbers = [...render(made, (n) => `$${n};`).matchAll(/\$(\d+);/g)].map(([, n]) => Number(n));
        expect(numbers).toEqual(values.map((_, i) => i + 1));
      }),
      { numRuns: 500 },
    ));

  it("never puts a value into the text", () =>
    fc.assert(
      fc.property(fc.string({ minLength: 1 }), (text) => {
        expect(render(sql`a = ${text}`, () => "?")).toBe("a = ?");
      }),
    ));

  it("is not changed by being part of another fragment", () => {
    const part = sql`a = ${1}`;
    sql`${part} OR ${part}`;
    expect(part).toEqual({ parts: ["a = ", ""], values: [1] });
  });

  it("is true without conditions", () => {
    expect(render(joinAnd([]), () => "?")).toBe("1 = 1");
    expect(join([], ",")).toEqual(emptySql);
  });
});

describe("cached templates", () => {
  const textOf = createRenderer((n) => `?${n}`);

  it("are distinguished from others of the same template", () => {
    const texts = ["a", "b", "a"].map((column) => textOf(sql`SELECT ${raw(column)}, ${1}`));
    expect(texts).toEqual(["SELECT a, ?1", "SELECT b, ?1", "SELECT a, ?1"]);
  });

  it("renders a row limit as a literal, and accepts only whole numbers", () => {
    expect(render(sql`SELECT 1 ${limitRows(5)}`, () => "?")).toBe("SELECT 1 LIMIT 5");
    for (const rows of [Number.NaN, 1.5, "1; DROP TABLE record" as never])
      expect(() => limitRows(rows)).toThrow(RangeError);
  });
});
