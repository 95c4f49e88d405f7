import { version } from "@pdpp/server/version";
import { Command, Option } from "commander";
import { reportFailure } from "./runtime/failure.ts";

import { welcome } from "./welcome.ts";

type AddCommand = (program: Command) => void;

/** In the order of the help. */
const commands: Record<string, () => Promise<AddCommand>> = {
  serve: async () => (await import("./commands/system/serve.ts")).addServe,
  connector: async () => (await import("./commands/data/connector.ts")).addConnector,
  connection: async () => (await import("./commands/data/connection.ts")).addConnection,
  import: async () => (await import("./commands/data/import.ts")).addImport,
  imports: async () => (await import("./commands/data/imports.ts")).addImports,
  ingest: async () => (await import("./commands/data/ingest.ts")).addIngest,
  blob: async () => (await import("./commands/data/blob.ts")).addBlob,
  grant: async () => (await import("./commands/access/grant.ts")).addGrant,
  read: async () => (await import("./commands/read/group.ts")).addRead,
  mcp: async () => (await import("./commands/agents/mcp.ts")).addMcp,
  connect: async () => (await import("./commands/agents/connect.ts")).addConnect,
  setup: async () => (await import("./commands/agents/setup.ts")).addSetup,
  "sign-in": async () => (await import("./commands/access/sign-in.ts")).addSignIn,
  owner: async () => (await import("./commands/access/owner.ts")).addOwnerGroup,
  "owner-token": async () => (await import("./commands/access/owner-token.ts")).addOwnerToken,
  log: async () => (await import("./commands/access/log.ts")).addLog,
  export: async () => (await import("./commands/data/export.ts")).addExport,
  delete: async () => (await import("./commands/data/delete.ts")).addDelete,
  backup: async () => (await import("./commands/system/backup.ts")).addBackup,
  restore: async () => (await import("./commands/system/backup.ts")).addRestore,
  revocations: async () => (await import("./commands/system/backup.ts")).addRevocations,
  prune: async () => (await import("./commands/data/prune.ts")).addPrune,
  doctor: async () => (await import("./commands/system/doctor.ts")).addDoctor,
  completion: async () => (await import("./commands/system/completion.ts")).addCompletion,
};

const hasJsonFlag = (argv: readonly string[]): boolean => {
  const end = argv.indexOf("--");
  return argv.slice(0, end < 0 ? argv.length : end).includes("--json");
};

/** Sets the exit code instead of exiting, so that what was written reaches a slow reader. */
export async function main(argv: readonly string[]): Promise<void> {
  ignoreClosedPipes();
  const json = hasJsonFlag(argv);
  if (argv.length === 0) {
    process.stdout.write(welcome);
    return;
  }
  let program: Command | undefined;
  try {
    program = await createProgram(argv, json);
    await program.parseAsync(argv, { from: "user" });
  } catch (error) {
    process.exitCode = reportFailure(error, json, program?.args[0]);
  }
}

/** `pdpp log | head` closes our output before we are done; that is no failure. */
function ignoreClosedPipes(): void {
  for (const stream of [process.stdout, process.stderr]) {
    stream.on("error", (error: NodeJS.ErrnoException) => {
      if (error.code !== "EPIPE") throw error;
    });
  }
}

/** The names alone are a list that fits a screen; how a command is used is in its own help. */
const formatSubcommandTerm = (each: Command): string => each.name();

/** Loads what the words may mean, which is faster than loading everything; without a word it knows, everything. */
export async function createProgram(argv: readonly string[], json: boolean): Promise<Command> {
  const program = new Command("pdpp")
    .description("Keep personal data in a vault; agents and tools read it within the grants you give")
    .exitOverride()
    .configureOutput({
      // The failure is reported in one place, see failure.ts.
      outputError: () => undefined,
      writeErr: (text) => void (json || process.stderr.write(text)),
    })
    .configureHelp({ showGlobalOptions: true, subcommandTerm: formatSubcommandTerm })
    .option("--json", "print one JSON document on stdout, and errors as JSON on stderr")
    .addOption(new Option("--data-dir <dir>", "where the vault is (default: ~/.pdpp)").env("PDPP_DATA_DIR"))
    .addOption(new Option("--database-url <url>", "use a PostgreSQL database instead").env("PDPP_DATABASE_URL"))
    .option("--owner <name>", "whose data, when the vault has several owners")
    .addHelpText(
      "after",
      `\nExamples:\n  pdpp serve --demo\n  pdpp import ~/Downloads/takeout.zip\n  pdpp read search "gutter thermostat"\n\nMore on each command: pdpp COMMAND --help. Getting started: pdpp`,
    );
  // Reading has words in common with the owner's commands, which would bring the whole store into memory.
  const named = argv[0] === "read" ? ["read"] : Object.keys(commands).filter((name) => argv.includes(name));
  // A version of a record is something else, and a parent's option would be taken for it.
  if (!named.includes("read")) program.version(version);
  const all = named.length === 0 || named.includes("completion");
  for (const [name, load] of Object.entries(commands)) if (all || named.includes(name)) (await load())(program);
  return program;
}
