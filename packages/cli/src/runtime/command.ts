import { homedir } from "node:os";
import { join, resolve } from "node:path";
import { formatInstant, parseInstant } from "@pdpp/contract/instant";
import type { StoreLocation } from "@pdpp/server/store/store";
import { type Command, InvalidArgumentError } from "commander";
import { type Output, openOutput } from "./output.ts";

export interface Call<Options> {
  readonly options: Options;
  readonly out: Output;
  readonly location: VaultLocation;
}

export interface VaultLocation extends StoreLocation {
  readonly owner?: string;
}

interface GlobalOptions {
  readonly json?: boolean;
  readonly dataDir?: string;
  readonly databaseUrl?: string;
  readonly owner?: string;
}

/** Adds a subcommand with examples in its help. */
export const addCommand = (parent: Command, usage: string, summary: string, examples: readonly string[]): Command =>
  addTopCommand(parent, usage, examples).description(summary);

/** Adds a command of `pdpp`, whose summary is in the list of commands. */
export function addTopCommand(parent: Command, usage: string, examples: readonly string[]): Command {
  const title = examples.length === 1 ? "Example" : "Examples";
  return parent
    .command(usage)
    .helpCommand(false)
    .addHelpText("after", `\n${title}:\n${examples.map((example) => `  ${example}`).join("\n")}`);
}

/** Sets what the command does; a returned number is the exit code. */
export function onRun<Options, Args extends unknown[]>(
  command: Command,
  // biome-ignore lint/suspicious/noConfusingVoidType: most commands answer nothing
  work: (call: Call<Options>, ...args: Args) => Promise<number | void>,
): void {
  command.action(async () => {
    const options = command.optsWithGlobals<Options & GlobalOptions>();
    const call = { options, out: openOutput(options.json === true), location: resolveLocation(options) };
    process.exitCode = (await work(call, ...(command.processedArgs as Args))) ?? 0;
  });
}

function resolveLocation({ dataDir, databaseUrl, owner }: GlobalOptions): VaultLocation {
  return {
    dataDir: resolve(dataDir || join(homedir(), ".pdpp")),
    ...(databaseUrl ? { databaseUrl } : {}),
    ...(owner === undefined ? {} : { owner }),
  };
}

export const parseIntegerBetween =
  (least: number, most: number) =>
  (text: string): number => {
    const value = /^\d{1,15}$/.test(text) ? Number(text) : Number.NaN;
    if (value >= least && value <= most) return value;
    throw new InvalidArgumentError(`Expected a whole number from ${least} to ${most}.`);
  };

const unitMs: { readonly [unit: string]: number } = { m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 };

/** Parses `12h`, `90d` or `4w` to milliseconds. */
function parseDuration(text: string, units = "hdw"): number | null {
  const [, count = "", unit = ""] = new RegExp(`^(\\d{1,5})([${units}])$`).exec(text) ?? [];
  const ms = unitMs[unit];
  return ms === undefined ? null : Number(count) * ms;
}

export function parseDurationOption(text: string): number {
  const ms = parseDuration(text);
  if (ms !== null) return ms;
  throw new InvalidArgumentError("Expected a duration in hours, days or weeks, such as 12h, 90d or 4w.");
}

/** Parses how often something happens, such as `30m`, to seconds. */
export function parseIntervalOption(text: string): number {
  const ms = parseDuration(text, "mhd");
  if (ms !== null && ms > 0) return ms / 1000;
  throw new InvalidArgumentError("Expected an interval in minutes, hours or days, such as 30m, 6h or 1d.");
}

/** Validates a time and returns it as written. */
export function parseTimeOption(text: string): string {
  if (parseInstant(text) !== null) return text;
  throw new InvalidArgumentError("Expected a date or time, such as 2026-01-31 or 2026-01-31T09:30:00Z.");
}

/** Accepts a time, or a duration from now. */
export function parseExpiryOption(text: string): string {
  const ms = parseDuration(text);
  return ms === null ? parseTimeOption(text) : formatInstant(Date.now() + ms);
}

export const collectValues = (text: string, before: readonly string[] = []): string[] => [...before, text];

export function omitUndefined<T extends object>(values: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as never;
}
