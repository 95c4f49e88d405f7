import { parseArgs } from "node:util";
import type { EngineName } from "../tests/support/vaults.ts";

/** The options of a program that proves something: one that cannot be read must not end as a run in which nothing failed. */

type Taken = Readonly<Record<string, { readonly type: "string" | "boolean" }>>;

export interface RunOptions {
  /** Undefined when it was not given. */
  whole(name: string): number | undefined;
  has(name: string): boolean;
  readonly engine: EngineName;
}

export function runOptions(usage: string, taken: Taken, argv = process.argv.slice(2)): RunOptions {
  const given = read(taken, argv);
  if (typeof given === "string" || given.help === true) {
    console.log(typeof given === "string" ? `error: ${given}\n\n${usage}` : usage);
    process.exit(typeof given === "string" ? 2 : 0);
  }
  return {
    whole: (name) => (given[name] === undefined ? undefined : Number(given[name])),
    has: (name) => given[name] === true,
    engine: (given.engine ?? "sqlite") as EngineName,
  };
}

/** What was given, or what is wrong with it. */
function read(taken: Taken, args: readonly string[]): Record<string, unknown> | string {
  try {
    const { values } = parseArgs({
      args: [...args],
      options: { ...taken, engine: { type: "string" }, help: { type: "boolean" } },
    });
    for (const [name, value] of Object.entries(values)) {
      if (name === "engine" && value !== "sqlite" && value !== "postgres") return "--engine is sqlite or postgres";
      if (name !== "engine" && typeof value === "string" && !/^\d{1,15}$/.test(value))
        return `--${name} takes a whole number, not ${JSON.stringify(value)}`;
    }
    return values;
  } catch (error) {
    return (error as Error).message;
  }
}
