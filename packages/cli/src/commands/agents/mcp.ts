import { flushCompileCache } from "node:module";
import type { Command } from "commander";
import { findClientCredential } from "../../credentials/credentials.ts";
import { addCommand, onRun } from "../../runtime/command.ts";

interface McpOptions {
  readonly providerUrl?: string;
  readonly cacheRoot?: string;
}

/** Node keeps what it compiled at an orderly exit only, and agents end this command by a signal. The opening comes first. */
const keepCompiledMs = 250;

export function addMcp(program: Command): void {
  const mcp = addCommand(program, "mcp", "Serve an agent over stdio, inside the grant that was saved for it", [
    "pdpp mcp",
    "pdpp mcp --provider-url http://127.0.0.1:7663",
  ])
    .option("--provider-url <url>", "the server to read from (default: the only one with a saved grant)")
    .option("--cache-root <dir>", "where saved grants are (default: ~/.pdpp)");
  onRun(mcp, async ({ options }: { options: McpOptions }) => {
    const { providerUrl, accessToken } = findClientCredential({ ...options, env: process.env, refuseOwner: true });
    const { serveMcpOnStdio } = await import("@pdpp/mcp/stdio");
    serveMcpOnStdio({ url: providerUrl, token: accessToken });
    setTimeout(flushCompileCache, keepCompiledMs).unref();
  });
}
