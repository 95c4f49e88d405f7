import { type FieldAggregation, fieldAggregations, rangeOperators, roles } from "@pdpp/contract/declaration";
import type { FieldCapability } from "@pdpp/contract/wire";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { formatFieldFlags } from "./schema-index.ts";

const flag = fc.oneof(
  fc.constant({ declared: false, usable: false }),
  fc.constant({ declared: true, usable: true }),
  fc.constantFrom("field_not_granted", "not_indexed").map((reason) => ({ declared: true, usable: false, reason })),
);

const capability: fc.Arbitrary<FieldCapability> = fc
  .record({
    type: fc.oneof(fc.constantFrom("text", "timestamp", "currency"), fc.string({ maxLength: 10 })),
    role: fc.option(fc.constantFrom(...roles), { nil: undefined }),
    granted: fc.boolean(),
    exact: flag,
    range: flag,
    operators: fc.subarray([...rangeOperators], { minLength: 1 }),
    lexical: flag,
    semantic: flag,
    aggregation: fc.dictionary(fc.constantFrom(...fieldAggregations), flag),
  })
  .map(({ type, role, granted, exact, range, operators, lexical, semantic, aggregation }) => ({
    type,
    ...(role === undefined ? {} : { role }),
    granted,
    schema: {},
    exact_filter: exact,
    range_filter: { ...range, operators },
    lexical_search: lexical,
    semantic_search: semantic,
    aggregation,
  }));

const word = String.raw`[^;,\[\]{}=\s]*`;
const grammar = new RegExp(
  `^t=${word}(,role=[a-z-]+)?(,g=false)?(,eq(=unusable:\\w+)?)?(,r=(unusable:\\w+|[a-z]+(\\|[a-z]+)*))?(,lex(=unusable:\\w+)?)?(,sem(=unusable:\\w+)?)?(,a=\\w+(\\|\\w+)*)?$`,
);

/** Reads a flag line back by the grammar alone. */
function readBack(line: string): Record<string, string> {
  return Object.fromEntries(
    line.split(",").map((part) => {
      const [name, ...rest] = part.split("=");
      return [name!, rest.join("=")];
    }),
  );
}

describe("SCH-1 the flag line of a field", () => {
  it("follows its grammar for any type name", () =>
    fc.assert(
      fc.property(capability, (field) => {
        expect(formatFieldFlags(field)).toMatch(grammar);
      }),
      { numRuns: 500 },
    ));

  it("states everything declared and whether it can be used", () =>
    fc.assert(
      fc.property(capability, (field) => {
        const said = readBack(formatFieldFlags(field));
        const toldOf = (name: string, { declared, usable, reason }: FieldCapability["exact_filter"], use: string) => {
          expect(said[name]).toBe(declared ? (usable ? use : `unusable:${reason}`) : undefined);
        };
        expect(said.role).toBe(field.role);
        expect(said.g).toBe(field.granted ? undefined : "false");
        toldOf("eq", field.exact_filter, "");
        toldOf("r", field.range_filter, field.range_filter.operators.join("|"));
        toldOf("lex", field.lexical_search, "");
        toldOf("sem", field.semantic_search, "");
        const usable = (Object.keys(field.aggregation) as FieldAggregation[]).filter(
          (kind) => field.aggregation[kind]?.usable,
        );
        expect(said.a).toBe(usable.length === 0 ? undefined : usable.join("|"));
      }),
      { numRuns: 500 },
    ));
});
