import { parseArgs } from "node:util";
import { type EngineName, engineNames } from "@pdpp/test-support/vaults/new-vault";

/** The options of a program that proves something: one that cannot be read must not end as a run in which nothing failed. */

/** A string is a whole number, unless it may be any word. */
type Taken = Readonly<Record<string, { readonly type: "string" | "boolean"; readonly word?: true }>>;

export interface RunOptions {
  /** Undefined when it was not given. */
  whole(name: string): number | undefined;
  word(name: string): string | undefined;
  has(name: string): boolean;
  readonly engine: EngineName;
  readonly engines: readonly EngineName[];
  /** Ends the program: what was given makes no sense. */
  refuse(fault: string): never;
}

/** `engine` is the one meant when none is named; a program that means both can be told so too. */
export function runOptions(usage: string, taken: Taken, engine: EngineName | "both" = "sqlite"): RunOptions {
  const refuse = (fault: string): never => {
    console.log(`error: ${fault}\n\n${usage}`);
    process.exit(2);
  };
  const names = engine === "both" ? [...engineNames, engine] : engineNames;
  const given = read(taken, names, process.argv.slice(2));
  if (typeof given === "string") return refuse(given);
  if (given.help === true) {
    console.log(usage);
    process.exit(0);
  }
  const engines = engineNames.filter((name) => [name, "both"].includes(String(given.engine ?? engine)));
  return {
    whole: (name) => (given[name] === undefined ? undefined : Number(given[name])),
    word: (name) => given[name] as string | undefined,
    has: (name) => given[name] === true,
    engine: engines[0]!,
    engines,
    refuse,
  };
}

/** What was given, or what is wrong with it. */
function read(taken: Taken, engines: readonly string[], args: string[]): Record<string, unknown> | string {
  try {
    const options = { ...taken, engine: { type: "string", word: true }, help: { type: "boolean" } } as const;
    const { values } = parseArgs({ args, options });
    for (const [name, value] of Object.entries(values)) {
      if (name === "engine" && !engines.includes(value as string)) return `--engine is ${engines.join(" or ")}`;
      if (typeof value === "string" && (options as Taken)[name]?.word !== true && !/^\d{1,15}$/.test(value))
        return `--${name} takes a whole number, not ${JSON.stringify(value)}`;
    }
    return values;
  } catch (error) {
    return (error as Error).message;
  }
}
