import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type Decision, joinIdentities, type StatedPair } from "./join.ts";

const identity = fc.constantFrom<string[]>(
  "email:a@x",
  "email:b@x",
  "email:c@x",
  "phone:+1",
  "name:one:noor",
  "name:two:noor",
  "name:two:n",
);
const pairs = fc.array(fc.tuple(identity, identity));
const decisions = fc.array(
  fc.record<Decision>({
    kind: fc.constantFrom("same", "different"),
    identity,
    others: fc.array(identity, { minLength: 1, maxLength: 3 }),
  }),
);
const findGroup = (groups: readonly (readonly string[])[], one: string) => groups.find((group) => group.includes(one));

describe("joining identities", () => {
  it("[PPL-2] does not depend on the order of records or decisions", () => {
    fc.assert(
      fc.property(
        fc.uniqueArray(identity),
        pairs,
        decisions,
        fc.infiniteStream(fc.nat()),
        (all, stated, decided, random) => {
          const shuffle = <T>(items: readonly T[]): T[] =>
            items
              .map((item) => ({ item, at: random.next().value as number }))
              .sort((a, b) => a.at - b.at)
              .map(({ item }) => item);
          const flipped = shuffle(stated).map(([a, b]): StatedPair => [b, a]);
          expect(joinIdentities(shuffle(all), flipped, shuffle(decided))).toEqual(joinIdentities(all, stated, decided));
        },
      ),
    );
  });

  it("[PPL-2] puts every identity into one group, and joins nothing without a statement", () => {
    fc.assert(
      fc.property(fc.uniqueArray(identity), pairs, decisions, (all, stated, decided) => {
        expect(joinIdentities(all, stated, decided).flat().sort()).toEqual([...all].sort());
        expect(
          joinIdentities(
            all,
            [],
            decided.filter(({ kind }) => kind === "different"),
          ),
        ).toHaveLength(all.length);
      }),
    );
  });

  it("[PPL-2] never joins what the owner called different", () => {
    fc.assert(
      fc.property(fc.uniqueArray(identity), pairs, decisions, (all, stated, decided) => {
        const groups = joinIdentities(all, stated, decided);
        for (const { kind, identity: one, others } of decided)
          if (kind === "different")
            for (const other of others)
              if (other !== one && all.includes(one)) expect(findGroup(groups, one)).not.toContain(other);
      }),
    );
  });

  it("[PPL-2] follows statements from one identity to the next", () => {
    const stated: StatedPair[] = [
      ["email:a@x", "email:b@x"],
      ["phone:+1", "email:b@x"],
    ];
    expect(joinIdentities(["email:a@x", "email:b@x", "phone:+1"], stated, [])).toEqual([
      ["email:a@x", "email:b@x", "phone:+1"],
    ]);
  });
});
