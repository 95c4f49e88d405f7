import { version } from "@pdpp/server/version";
import { Command, Option } from "commander";
import { welcome } from "./welcome.ts";

interface TopCommand {
  readonly summary: string;
  /** Returns the function that adds the command with its options. */
  load(): Promise<(program: Command) => void>;
}

/** In the order shown by --help. */
const commands: Record<string, TopCommand> = {
  serve: {
    summary: "Start the server: API, MCP and console",
    load: async () => (await import("./commands/system/serve.ts")).addServe,
  },
  open: {
    summary: "Open the console of the running server, signed in",
    load: async () => (await import("./commands/system/open.ts")).addOpen,
  },
  service: {
    summary: "Start pdpp with the computer, and back up every day",
    load: async () => (await import("./commands/system/service.ts")).addService,
  },
  connector: {
    summary: "Manage source types: what their data looks like",
    load: async () => (await import("./commands/data/connector.ts")).addConnector,
  },
  connection: {
    summary: "Manage sources of data",
    load: async () => (await import("./commands/data/connection.ts")).addConnection,
  },
  import: {
    summary: "Import an export: mail, chats, calendars and more",
    load: async () => (await import("./commands/data/import.ts")).addImport,
  },
  imports: {
    summary: "Show past imports and skipped items",
    load: async () => (await import("./commands/data/imports.ts")).addImports,
  },
  source: {
    summary: "Keep mail accounts, calendars, folders and other sources current",
    load: async () => (await import("./commands/source/group.ts")).addSource,
  },
  ingest: {
    summary: "Store records, one JSON object per line",
    load: async () => (await import("./commands/data/ingest.ts")).addIngest,
  },
  blob: {
    summary: "Store files that records refer to",
    load: async () => (await import("./commands/data/blob.ts")).addBlob,
  },
  grant: {
    summary: "Manage what clients can read",
    load: async () => (await import("./commands/access/grant.ts")).addGrant,
  },
  read: {
    summary: "Read data with a client's token",
    load: async () => (await import("./commands/read/group.ts")).addRead,
  },
  mcp: {
    summary: "Run the MCP server over stdio, with the saved grant",
    load: async () => (await import("./commands/agents/mcp.ts")).addMcp,
  },
  connect: {
    summary: "Request access from a vault's owner and save the token",
    load: async () => (await import("./commands/agents/connect.ts")).addConnect,
  },
  setup: {
    summary: "Show or write an agent's configuration",
    load: async () => (await import("./commands/agents/setup.ts")).addSetup,
  },
  "sign-in": {
    summary: "Create a one-time link to sign in to the console",
    load: async () => (await import("./commands/access/sign-in.ts")).addSignIn,
  },
  owner: {
    summary: "Manage the owners of this vault",
    load: async () => (await import("./commands/access/owner.ts")).addOwnerGroup,
  },
  "owner-token": {
    summary: "Manage API tokens for your own programs",
    load: async () => (await import("./commands/access/owner-token.ts")).addOwnerToken,
  },
  log: {
    summary: "Show the access log: reads, refusals and your own changes",
    load: async () => (await import("./commands/access/log.ts")).addLog,
  },
  export: {
    summary: "Write every record to stdout, one JSON object per line",
    load: async () => (await import("./commands/data/export.ts")).addExport,
  },
  delete: {
    summary: "Delete one record or a whole stream",
    load: async () => (await import("./commands/data/delete.ts")).addDelete,
  },
  backup: {
    summary: "Back up the whole vault to a file, even while it is being served",
    load: async () => (await import("./commands/system/backup.ts")).addBackup,
  },
  restore: {
    summary: "Restore a backup into a new vault",
    load: async () => (await import("./commands/system/backup.ts")).addRestore,
  },
  revocations: {
    summary: "List revoked grants and tokens, for pdpp restore --revocations",
    load: async () => (await import("./commands/system/backup.ts")).addRevocations,
  },
  prune: {
    summary: "Delete old versions of changed and deleted records",
    load: async () => (await import("./commands/data/prune.ts")).addPrune,
  },
  doctor: {
    summary: "Check your setup, or a server from an agent's point of view",
    load: async () => (await import("./commands/system/doctor.ts")).addDoctor,
  },
  update: {
    summary: "Say how to get a newer version",
    load: async () => (await import("./commands/system/update.ts")).addUpdate,
  },
  uninstall: {
    summary: "Remove what pdpp put on this machine; the vault stays",
    load: async () => (await import("./commands/system/uninstall.ts")).addUninstall,
  },
  completion: {
    summary: "Print a shell completion script for bash, zsh or fish",
    load: async () => (await import("./commands/system/completion.ts")).addCompletion,
  },
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
    if (argv.find((word) => Object.hasOwn(commands, word)) === "import")
      (await import("@pdpp/importing/limit-import")).limitImport();
    program = await createProgram(argv, json);
    await program.parseAsync(argv, { from: "user" });
  } catch (error) {
    const { reportFailure } = await import("./runtime/failure.ts");
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

/** Loads only the commands named in argv, which is faster; all if none is, and none to list them. */
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
  // The list of commands needs only their names and summaries.
  const isList = named.length === 0 && argv.some((word) => word === "--help" || word === "-h" || word === "--version");
  for (const [name, { summary, load }] of Object.entries(commands)) {
    if (isList) program.command(name);
    else if (all || named.includes(name)) (await load())(program);
    else continue;
    program.commands.at(-1)!.description(summary);
  }
  return program;
}
