import { resolve } from "node:path";
import { createReaders, type Reader } from "@pdpp/client/any-server";
import { PdppError, type ProblemCode } from "@pdpp/contract/errors";
import { measureAsJson } from "@pdpp/evidence/sizes/measure";
import { type Command, Option } from "commander";
import { type ClientCredential, describeStaleCredential, findClientCredential } from "../../credentials/credentials.ts";
import { type CommandContext, isUrl } from "../../render/continuation.ts";
import { addCommand, onRun } from "../../runtime/command.ts";
import { UsageError } from "../../runtime/failure.ts";
import { formats, openReadOutput, type ReadOutput, type ReadOutputOptions } from "./output.ts";

/** What the reading commands share: where they read, with which token, and how they show it. */

interface ReadOptions extends ReadOutputOptions {
  readonly cacheRoot?: string;
  readonly providerUrl?: string;
}

export interface Reading<Options> {
  readonly api: Reader;
  readonly token: string;
  readonly options: Options & ReadOptions;
  readonly commandContext: CommandContext;
  readonly out: ReadOutput;
  /** What was written after the provider's address. */
  readonly words: readonly string[];
}

/** A reading command: `usage` is what follows the address, which may be left out. */
export function addReadCommand(
  group: Command,
  name: string,
  createUsageError: string,
  summary: string,
  examples: readonly string[],
): Command {
  return addCommand(group, `${name} [words...]`, summary, examples)
    .usage(`[options] [url] ${createUsageError}`.trim())
    .option("--provider-url <url>", "the server to read from; its URL as the first argument works too")
    .option("--cache-root <dir>", "where credentials are kept (default: ~/.pdpp)")
    .addOption(
      new Option("--format <kind>", "output format (default: card on a terminal, otherwise json)").choices(formats),
    )
    .addOption(new Option("--data", "only the data, without the envelope").hideHelp());
}

export function onRead<Options>(
  of: Command,
  // biome-ignore lint/suspicious/noConfusingVoidType: most commands answer nothing
  work: (reading: Reading<Options>) => Promise<number | void>,
): void {
  onRun(of, async ({ options }: { options: Options & ReadOptions }, all: string[]) => {
    const first = isUrl(all[0]) ? all[0] : undefined;
    const url = first ?? options.providerUrl;
    if (url !== undefined && !URL.canParse(url))
      throw new UsageError(`${url} is not a URL; write it like http://127.0.0.1:7663`);
    const { cacheRoot, format } = options;
    const credential = findClientCredential({
      ...(url === undefined ? {} : { providerUrl: url }),
      ...(cacheRoot === undefined ? {} : { cacheRoot }),
      env: process.env,
    });
    const { providerUrl, accessToken } = credential;
    const commandContext = {
      ...(url === undefined ? {} : { url }),
      providerUrl,
      also: {
        ...(cacheRoot === undefined ? {} : { "cache-root": resolve(cacheRoot) }),
        ...(format === undefined ? {} : { format }),
      },
    };
    const reading = {
      api: createReaders({ url: providerUrl, token: accessToken, measure: measureAsJson })(),
      token: accessToken,
      options,
      commandContext,
      out: openReadOutput(options, commandContext),
      words: first === undefined ? all : all.slice(1),
    };
    return work(reading).catch((error: unknown) => {
      throw error instanceof PdppError ? addNextCommand(explainStaleToken(error, credential)) : error;
    });
  });
}

/** Exactly the arguments with these names, or an error that says which one is wrong. */
export function requireArguments(words: readonly string[], ...names: string[]): string[] {
  const missing = names[words.length];
  if (missing !== undefined) throw new UsageError(`missing required argument '${missing}'; ${help}`);
  const extra = words[names.length];
  if (extra !== undefined) {
    throw new UsageError(`${JSON.stringify(extra)} is an unexpected argument; ${help}`);
  }
  return [...words];
}

const help = "add --help to see how the command is used";

/** The object without what was left out. */
export function omitUndefined<T extends object>(values: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as never;
}

/** The number an option names; what is none is for the server to refuse. */
export const toNumber = (text: string | undefined): number | undefined =>
  text === undefined ? undefined : Number(text);

export const usage = (message: string): UsageError => new UsageError(message);

const nextCommands: { readonly [C in ProblemCode]?: string } = {
  grant_stream_not_allowed: "pdpp read streams lists the streams you can read",
  stream_not_declared: "pdpp read streams lists the streams you can read",
  connection_not_found: "pdpp read streams lists the connections",
  ambiguous_connection: "add --connection-id ID to the command",
  unknown_field: "pdpp read schema STREAM lists the fields and what can be done with each",
  field_not_granted: "pdpp read schema STREAM says which fields are granted",
  invalid_field_path: "pdpp read schema STREAM lists the fields",
  field_not_found: "pdpp read fetch ID shows what the record has",
  not_found: "pdpp read search WORDS finds records",
  query_not_found: "leave out --q to read from the beginning",
  stale_window: "run the command without --version and --cursor to start over",
  invalid_cursor: "run the command without --cursor to start over",
  cursor_expired: "run the command without the cursor to start over",
};

/** The server cannot know that nobody typed the token it refuses. */
function explainStaleToken(error: PdppError, credential: ClientCredential): PdppError {
  const stale = error.code === "authentication_error" ? describeStaleCredential(credential) : undefined;
  if (stale === undefined) return error;
  return new PdppError(error.code, stale.message, { ...error.details, next_step: stale.next }, error.requestId);
}

/** The server speaks of requests; whoever sits here runs commands. */
function addNextCommand(error: PdppError): PdppError {
  const next = nextCommands[error.code];
  if (next !== undefined && error.details.next_step === undefined) error.details.next_step = next;
  return error;
}
