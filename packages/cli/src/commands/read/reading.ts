import { resolve } from "node:path";
import { commandName } from "@pdpp/agent-setup/command-name";
import { createReaders, type Reader } from "@pdpp/client/any-server";
import { PdppError, type ProblemCode } from "@pdpp/contract/errors";
import { measureAsJson } from "@pdpp/evidence/sizes/measure";
import { type Command, Option } from "commander";
import { type ClientCredential, describeStaleCredential, findClientCredential } from "../../credentials/credentials.ts";
import { type CommandContext, isUrl } from "../../render/continuation.ts";
import { addCommand, onRun } from "../../runtime/command.ts";
import { UsageError } from "../../runtime/failure.ts";
import { formats, openReadOutput, type ReadOutput, type ReadOutputOptions } from "./output.ts";

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
  /** The arguments after the server's URL. */
  readonly words: readonly string[];
}

/** `usage` describes the arguments after the optional URL. */
export function addReadCommand(
  group: Command,
  name: string,
  usage: string,
  summary: string,
  examples: readonly string[],
): Command {
  return addCommand(group, `${name} [words...]`, summary, examples)
    .usage(`[options] [url] ${usage}`.trim())
    .option("--provider-url <url>", "server to read from (can also be the first argument)")
    .option("--cache-root <dir>", "folder with credentials (default: ~/.pdpp)")
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

export function requireArguments(words: readonly string[], ...names: string[]): string[] {
  const missing = names[words.length];
  if (missing !== undefined) throw new UsageError(`missing required argument '${missing}'; ${help}`);
  const extra = words[names.length];
  if (extra !== undefined) {
    throw new UsageError(`${JSON.stringify(extra)} is an unexpected argument; ${help}`);
  }
  return [...words];
}

const help = "add --help for usage";

const nextCommands: { readonly [C in ProblemCode]?: string } = {
  grant_stream_not_allowed: `list the streams you can read with: ${commandName} read streams`,
  stream_not_declared: `list the streams you can read with: ${commandName} read streams`,
  connection_not_found: `list the connections with: ${commandName} read streams`,
  ambiguous_connection: "add --connection-id ID to the command",
  unknown_field: `list the fields and their capabilities with: ${commandName} read schema STREAM`,
  field_not_granted: `list the granted fields with: ${commandName} read schema STREAM`,
  invalid_field_path: `list the fields with: ${commandName} read schema STREAM`,
  field_not_found: `show the whole record with: ${commandName} read fetch ID`,
  not_found: `find records with: ${commandName} read search WORDS`,
  query_not_found: "drop --q to read from the beginning",
  stale_window: "run the command without --version and --cursor to start over",
  invalid_cursor: "run the command without --cursor to start over",
  cursor_expired: "run the command without the cursor to start over",
};

/** Explains a rejected token that came from the credential cache. */
function explainStaleToken(error: PdppError, credential: ClientCredential): PdppError {
  const stale = error.code === "authentication_error" ? describeStaleCredential(credential) : undefined;
  if (stale === undefined) return error;
  return new PdppError(error.code, stale.message, { ...error.details, next_step: stale.next }, error.requestId);
}

/** Replaces the server's advice on requests with advice on commands. */
function addNextCommand(error: PdppError): PdppError {
  const next = nextCommands[error.code];
  if (next !== undefined && error.details.next_step === undefined) error.details.next_step = next;
  return error;
}
