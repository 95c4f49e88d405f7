import type { Random } from "./random.ts";

export type Slots = Readonly<Record<string, readonly string[]>>;

/** Fills `{slot}` from the tables, each time with another value, and `[this|that]` by choice; slots may hold both again. */
export function fill(template: string, slots: Slots, random: Random): string {
  let text = template;
  const used = new Set<string>();
  for (let depth = 0; depth < 5 && /[{[]/.test(text); depth++) {
    text = text.replace(/\[([^[\]]*\|[^[\]]*)\]/g, (_, options: string) => random.pick(options.split("|")));
    text = text.replace(/\{([a-zA-Z]+)\}/g, (_, name: string) => {
      const table = slots[name];
      if (table === undefined) throw new Error(`demo phrase names an unknown slot: ${name}`);
      const fresh = table.filter((value) => !used.has(value));
      const value = random.pick(fresh.length > 0 ? fresh : table);
      used.add(value);
      return value;
    });
  }
  return text;
}

/** Like `fill`, but tries for a text that has not been said before. */
export function fillFresh(template: string, slots: Slots, random: Random, said: Set<string>): string {
  let text = fill(template, slots, random);
  for (let attempt = 0; attempt < 12 && said.has(text); attempt++) text = fill(template, slots, random);
  said.add(text);
  return text;
}

/** Settles on one value of each slot but those in `open`, for texts that speak of the same thing. */
export function settle(slots: Slots, open: readonly string[], random: Random): Slots {
  return Object.fromEntries(
    Object.entries(slots).map(([name, table]) => [name, open.includes(name) ? table : [random.pick(table)]]),
  );
}

export function euros(cents: number): string {
  return (cents / 100).toFixed(2);
}
