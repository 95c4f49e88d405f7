import { version } from "@pdpp/server/version";
import { Command, Option } from "commander";
import { addBlob } from "./commands/blob.ts";
import { addConnection } from "./commands/connection.ts";
import { addConnector } from "./commands/connector.ts";
import { addDelete } from "./commands/delete.ts";
import { addDoctor } from "./commands/doctor.ts";
import { addExport } from "./commands/export.ts";
import { addGrant } from "./commands/grant.ts";
import { addIngest } from "./commands/ingest.ts";
import { addLog } from "./commands/log.ts";
import { addOwnerToken } from "./commands/owner-token.ts";
import { addPrune } from "./commands/prune.ts";
import { addServe } from "./commands/serve.ts";
import { reportFailure } from "./failure.ts";

import { welcome } from "./welcome.ts";

const saysJson = (argv: readonly string[]): boolean => {
  const end = argv.indexOf("--");
  return argv.slice(0, end < 0 ? argv.length : end).includes("--json");
};

/** Sets the exit code instead of exiting, so that what was written reaches a slow reader. */
export async function main(argv: readonly string[]): Promise<void> {
  survivePartingReaders();
  const json = saysJson(argv);
  if (argv.length === 0) {
    process.stdout.write(welcome);
    return;
  }
  try {
    await createProgram(json).parseAsync(argv, { from: "user" });
  } catch (error) {
    process.exitCode = reportFailure(error, json);
  }
}

/** `pdpp log | head` closes our output before we are done; that is no failure. */
function survivePartingReaders(): void {
  for (const stream of [process.stdout, process.stderr]) {
    stream.on("error", (error: NodeJS.ErrnoException) => {
      if (error.code !== "EPIPE") throw error;
    });
  }
}

export function createProgram(json: boolean): Command {
  const program = new Command("pdpp")
    .description("A vault for personal data that agents and tools read inside grants the owner gave")
    .version(version)
    .exitOverride()
    .configureOutput({
      // The failure is reported in one place, see failure.ts.
      outputError: () => undefined,
      writeErr: (text) => void (json || process.stderr.write(text)),
    })
    .configureHelp({ showGlobalOptions: true })
    .helpCommand(false)
    .option("--json", "print one JSON document on stdout, and errors as JSON on stderr")
    .addOption(new Option("--data-dir <dir>", "where the vault is (default: ~/.pdpp)").env("PDPP_DATA_DIR"))
    .addOption(new Option("--database-url <url>", "a PostgreSQL database instead").env("PDPP_DATABASE_URL"))
    .addHelpText("after", "\nExample:\n  pdpp serve --demo\n\nMore on each command: pdpp COMMAND --help");
  for (const add of [addServe, addConnector, addConnection, addIngest, addBlob, addGrant]) add(program);
  for (const add of [addOwnerToken, addLog, addExport, addDelete, addPrune, addDoctor]) add(program);
  return program;
}
