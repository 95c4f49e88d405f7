import { version } from "@pdpp/server/version";
import { Command, Option } from "commander";
import { reportFailure } from "./runtime/failure.ts";

import { welcome } from "./welcome.ts";

type AddCommand = (program: Command) => void;

/** In the order shown by --help. */
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

/** Sets the exit code instead of exiting, so that pending output is written. */
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

/** A closed pipe, as in `pdpp log | head`, is not an error. */
function ignoreClosedPipes(): void {
  for (const stream of [process.stdout, process.stderr]) {
    stream.on("error", (error: NodeJS.ErrnoException) => {
      if (error.code !== "EPIPE") throw error;
    });
  }
}

/** Names only, so that the list fits on a screen. */
const formatSubcommandTerm = (each: Command): string => each.name();

/** Loads only the commands named in argv, which is faster, or all if none is. */
export async function createProgram(argv: readonly string[], json: boolean): Promise<Command> {
  const program = new Command("pdpp")
    .description("A vault for your personal data that AI agents read within the access you grant")
    .exitOverride()
    .configureOutput({
      // Errors are reported in failure.ts.
      outputError: () => undefined,
      writeErr: (text) => void (json || process.stderr.write(text)),
    })
    .configureHelp({ showGlobalOptions: true, subcommandTerm: formatSubcommandTerm })
    .option("--json", "print JSON: one document on stdout, errors on stderr")
    .addOption(new Option("--data-dir <dir>", "folder of the vault (default: ~/.pdpp)").env("PDPP_DATA_DIR"))
    .addOption(
      new Option("--database-url <url>", "use a PostgreSQL database instead of a folder").env("PDPP_DATABASE_URL"),
    )
    .option("--owner <name>", "owner to act as, if the vault has several")
    .addHelpText(
      "after",
      `\nExamples:\n  pdpp serve --demo\n  pdpp import ~/Downloads/takeout.zip\n  pdpp read search "gutter thermostat"\n\nHelp for a command: pdpp COMMAND --help. Getting started: pdpp`,
    );
  // Search words can equal names of owner commands, which would load the whole store.
  const named = argv[0] === "read" ? ["read"] : Object.keys(commands).filter((name) => argv.includes(name));
  // `pdpp read` has its own --version, the version of a record.
  if (!named.includes("read")) program.version(version);
  const all = named.length === 0 || named.includes("completion");
  for (const [name, load] of Object.entries(commands)) if (all || named.includes(name)) (await load())(program);
  return program;
}
