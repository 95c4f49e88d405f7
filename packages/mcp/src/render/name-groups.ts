/** Names with a common prefix, written once: `orders_{open, closed}`. */

export type NameGroup = {
  readonly prefix: string;
  /** The rest of each name after the prefix. */
  readonly names: string[];
};

export interface GroupedNames {
  readonly singles: readonly string[];
  readonly groups: NameGroup[];
}

/** Only names of letters, digits and separators are grouped, so that no name can be mistaken for the notation. */
const isPlain = (name: string): boolean => /^[\p{L}\p{N}_.:/-]+$/u.test(name);

/** Lines have a maximum length, so long groups are split. */
const maxGroupChars = 4000;

export function groupByPrefix(names: readonly string[]): GroupedNames {
  const plain = names.filter(isPlain);
  const { singles, groups } = chooseShortest("", plain);
  const left = new Set(singles);
  return { singles: names.filter((name) => left.has(name) || !isPlain(name)), groups };
}

/** Chooses the shorter notation: one group, or subgroups by the next segment. */
function chooseShortest(prefix: string, names: readonly string[]): GroupedNames {
  const bySegment = Map.groupBy(names, (name) => readSegment(prefix, name));
  const split: { singles: string[]; groups: NameGroup[] } = { singles: [], groups: [] };
  for (const [segment, mine] of bySegment) {
    const inner = segment === "" || mine.length === 1 ? { singles: mine, groups: [] } : chooseShortest(segment, mine);
    split.singles.push(...inner.singles);
    split.groups.push(...inner.groups);
  }
  if (prefix === "" || names.length < 2) return split;
  // Names in no subgroup stay together here.
  const rest =
    split.singles.length < 2 ? split : { singles: [], groups: [makeGroup(prefix, split.singles), ...split.groups] };
  const whole = { singles: [], groups: [makeGroup(prefix, names)] };
  const plain = { singles: [...names], groups: [] };
  return [whole, rest, plain].reduce((a, b) => (estimateLength(b) < estimateLength(a) ? b : a));
}

const makeGroup = (prefix: string, names: readonly string[]): NameGroup => ({
  prefix,
  names: names.map((name) => name.slice(prefix.length)),
});

/** The name up to and including the next separator; empty if there is none or nothing follows it. */
function readSegment(prefix: string, name: string): string {
  const at = name.slice(prefix.length).search(/[_.:/-]/);
  const end = prefix.length + at + 1;
  return at < 0 || end === name.length ? "" : name.slice(0, end);
}

/** Approximate characters in text and object together. */
const estimateLength = ({ singles, groups }: GroupedNames): number =>
  singles.reduce((sum, name) => sum + name.length + 3, 0) +
  groups.reduce(
    (sum, { prefix, names }) => names.reduce((all, name) => all + name.length + 3, sum + prefix.length + 20),
    0,
  );

export function splitGroups({ prefix, names }: NameGroup): NameGroup[] {
  const pieces: NameGroup[] = [];
  let chars = 0;
  for (const name of names) {
    chars += name.length + 2;
    const last = pieces.at(-1);
    if (last === undefined || chars > maxGroupChars) {
      pieces.push({ prefix, names: [name] });
      chars = name.length;
    } else last.names.push(name);
  }
  return pieces;
}
