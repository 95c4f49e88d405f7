/** Which identities are one person: what records state, corrected by the owner. Names are never compared. */

/** A record states that both belong to one person. */
export type StatedPair = readonly [a: string, b: string];

export interface Decision {
  readonly kind: "same" | "different";
  readonly identity: string;
  readonly others: readonly string[];
}

/**
 * Groups identities. The result does not depend on the order of the arguments. Two identities that the owner called different are never
 * in one group, whatever else joins them.
 */
export function joinIdentities(
  identities: Iterable<string>,
  stated: Iterable<StatedPair>,
  decisions: readonly Decision[],
): string[][] {
  const groups = new Map([...new Set(identities)].sort().map((identity) => [identity, new Set([identity])]));
  const different = new Map<string, Set<string>>();
  for (const [a, b] of listPairs(decisions, "different")) {
    different.set(a, (different.get(a) ?? new Set()).add(b));
    different.set(b, (different.get(b) ?? new Set()).add(a));
  }
  const mayJoin = (a: ReadonlySet<string>, b: ReadonlySet<string>): boolean => {
    for (const each of a) for (const other of different.get(each) ?? []) if (b.has(other)) return false;
    return true;
  };
  const join = ([a, b]: StatedPair): void => {
    const [one, other] = [groups.get(a), groups.get(b)];
    if (one === undefined || other === undefined || one === other || !mayJoin(one, other)) return;
    const [large, small] = one.size < other.size ? [other, one] : [one, other];
    for (const identity of small) groups.set(identity, large.add(identity));
  };
  for (const pair of sortPairs(listPairs(decisions, "same"))) join(pair);
  for (const pair of sortPairs([...stated])) join(pair);
  return [...new Set(groups.values())].map((group) => [...group].sort());
}

const listPairs = (decisions: readonly Decision[], kind: Decision["kind"]): StatedPair[] =>
  decisions
    .filter((decision) => decision.kind === kind)
    .flatMap(({ identity, others }) =>
      others.filter((other) => other !== identity).map((other) => [identity, other] as const),
    );

const sortPairs = (pairs: readonly StatedPair[]): StatedPair[] =>
  pairs
    .map(([a, b]): StatedPair => (a < b ? [a, b] : [b, a]))
    .sort(([a, b], [c, d]) => (a < c ? -1 : a > c ? 1 : b < d ? -1 : b > d ? 1 : 0));
