import { parseArgs } from "node:util";
import { type EngineName, engineNames } from "@pdpp/test-support/vaults/new-vault";

/** Options of programs that verify something. An invalid option must never end as a run in which nothing failed. */

/** A string option is a whole number unless `word` is set. */
type OptionSpecs = Readonly<Record<string, { readonly type: "string" | "boolean"; readonly word?: true }>>;

export interface RunOptions {
  /** Undefined if not given. */
  whole(name: string): number | undefined;
  word(name: string): string | undefined;
  has(name: string): boolean;
  readonly engine: EngineName;
  readonly engines: readonly EngineName[];
  /** Exits because of an invalid option. */
  refuse(fault: string): never;
}

/** `engine` is the default; a program whose default is "both" also accepts "both". */
export function parseRunOptions(usage: string, taken: OptionSpecs, engine: EngineName | "both" = "sqlite"): RunOptions {
  const refuse = (fault: string): never => {
    console.log(`error: ${fault}\n\n${usage}`);
    process.exit(2);
  };
  const names = engine === "both" ? [...engineNames, engine] : engineNames;
  const given = readOptions(taken, names, process.argv.slice(2));
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

/** The parsed options, or an error message. */
function readOptions(taken: OptionSpecs, engines: readonly string[], args: string[]): Record<string, unknown> | string {
  try {
    const options = { ...taken, engine: { type: "string", word: true }, help: { type: "boolean" } } as const;
    const { values } = parseArgs({ args, options });
    for (const [name, value] of Object.entries(values)) {
      if (name === "engine" && !engines.includes(value as string)) return `--engine must be ${engines.join(" or ")}`;
      if (typeof value === "string" && (options as OptionSpecs)[name]?.word !== true && !/^\d{1,15}$/.test(value))
        return `--${name} must be a whole number, not ${JSON.stringify(value)}`;
    }
    return values;
  } catch (error) {
    return (error as Error).message;
  }
}
