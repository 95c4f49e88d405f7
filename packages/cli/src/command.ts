import { homedir } from "node:os";
import { join, resolve } from "node:path";
import { instantOf } from "@pdpp/contract/instant";
import type { StoreLocation } from "@pdpp/server/store/store";
import { type Command, InvalidArgumentError } from "commander";
import { type Output, openOutput } from "./output.ts";

/** What every command gets, whatever it does. */
export interface Call<Options> {
  readonly options: Options;
  readonly out: Output;
  readonly location: StoreLocation;
}

interface GlobalOptions {
  readonly json?: boolean;
  readonly dataDir?: string;
  readonly databaseUrl?: string;
}

/** A command, or a group of commands, with the examples its help shows. */
export function command(parent: Command, usage: string, summary: string, examples: readonly string[]): Command {
  const title = examples.length === 1 ? "Example" : "Examples";
  return parent
    .command(usage)
    .description(summary)
    .helpCommand(false)
    .addHelpText("after", `\n${title}:\n${examples.map((example) => `  ${example}`).join("\n")}`);
}

/** What the command does; a number it answers with is the exit code. */
export function does<Options, Args extends unknown[]>(
  command: Command,
  // biome-ignore lint/suspicious/noConfusingVoidType: most commands answer nothing
  work: (call: Call<Options>, ...args: Args) => Promise<number | void>,
): void {
  command.action(async () => {
    const options = command.optsWithGlobals<Options & GlobalOptions>();
    const call = { options, out: openOutput(options.json === true), location: locationFrom(options) };
    process.exitCode = (await work(call, ...(command.processedArgs as Args))) ?? 0;
  });
}

function locationFrom({ dataDir, databaseUrl }: GlobalOptions): StoreLocation {
  return { dataDir: resolve(dataDir || join(homedir(), ".pdpp")), ...(databaseUrl ? { databaseUrl } : {}) };
}

/** Parser of a whole number in a range, for options. */
export const wholeNumber =
  (least: number, most: number) =>
  (text: string): number => {
    const value = /^\d{1,15}$/.test(text) ? Number(text) : Number.NaN;
    if (value >= least && value <= most) return value;
    throw new InvalidArgumentError(`It must be a whole number from ${least} to ${most}.`);
  };

/** Parser of a time, kept as it was written. */
export function time(text: string): string {
  if (instantOf(text) !== null) return text;
  throw new InvalidArgumentError("It must be a date or date-time, such as 2026-01-31 or 2026-01-31T09:30:00Z.");
}

/** Parser of an option that may be given several times. */
export const several = (text: string, before: readonly string[] = []): string[] => [...before, text];
